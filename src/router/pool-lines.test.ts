import { describe, expect, it } from 'vitest';
import type { Line } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { PoolLines } from './pool-lines.ts';

describe('the lines of a pool', () => {
  it('take turns where they wait for the same places', () => {
    const time = new VirtualTime();
    const rang: string[] = [];
    let room = 0;
    const source = {
      room: () => room,
      keep: (count: number) => {
        room -= count;
        return () => {};
      },
      nextAt: () => null,
      patience: () => null,
    };
    const ring = async ({ key }: Line, places: number) => {
      rang.push(key);
      return places;
    };
    const lines = new PoolLines({ clock: time, timers: time, ring });
    for (const key of ['a', 'b', 'c'])
      for (let count = 0; count < 9; count++)
        lines.open({ kind: 'concurrency', key, fair: false }, source).wait();
    for (let turn = 0; turn < 6; turn++) {
      room = 1;
      lines.checkShared();
    }
    expect(rang).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    lines.stop();
    expect(time.pending).toBe(0);
  });
});
