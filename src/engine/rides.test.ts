import { beforeEach, describe, expect, it } from 'vitest';
import type { Write } from '../core/writes.ts';
import { Rides } from './rides.ts';
import { VirtualTime } from './testing/virtual-time.suite.ts';

let time: VirtualTime;
let left: string[][];
let rides: Rides;

beforeEach(() => {
  time = new VirtualTime();
  left = [];
  rides = new Rides(time, (writes) => left.push(writes.map(({ kind }) => kind)));
});

const ride = (kind: string) => rides.add(() => ({ kind }) as unknown as Write);

describe('rides', () => {
  it('leave when they have waited, and not with those that came long before them', async () => {
    ride('first');
    await time.advance(4);
    ride('second');
    await time.advance(8);
    ride('third');
    expect(left).toEqual([['first', 'second']]);
    await time.advance(20);
    expect(left).toEqual([['first', 'second'], ['third']]);
  });

  it('of a steady flow of short calls are never written', async () => {
    for (let n = 0; n < 100; n++) {
      const { drop } = ride('start');
      await time.advance(2);
      drop();
    }
    await time.advance(100);
    expect(left).toEqual([]);
  });

  it('leave all at once where somebody wants them written, each once', async () => {
    ride('waiting');
    await time.advance(6);
    ride('new');
    const { drop } = ride('dropped');
    drop();
    rides.all();
    rides.all();
    await time.advance(100);
    expect(left).toEqual([['waiting', 'new']]);
    ride('later');
    await time.advance(10);
    expect(left).toEqual([['waiting', 'new'], ['later']]);
  });

  it('do not leave once it is closed', async () => {
    ride('start');
    rides.close();
    await time.advance(100);
    expect(left).toEqual([]);
  });
});
