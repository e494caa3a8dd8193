import { describe, expect, it } from 'vitest';
import type { Line } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { type Patience, WaitingLine } from './waiting-line.ts';

type Given = { readonly kind?: Line['kind']; readonly patience?: Patience | null };

/** A line of which the test says how much room there is, and how many come when it is called. */
function setUp({ kind = 'concurrency', patience = null }: Given = {}) {
  const time = new VirtualTime();
  const world = {
    room: 0,
    nextAt: null as number | null,
    come: (places: number) => places,
    more: 0,
    astray: (_: number) => {},
  };
  const rang: number[] = [];
  const absent: number[] = [];
  let over = 0;
  const source = {
    room: () => world.room,
    keep: () => (count: number) => void absent.push(count),
    nextAt: () => world.nextAt,
    patience: () => patience,
  };
  const parts = {
    clock: time,
    timers: time,
    ring: async (_line: Line, places: number, astray: (count: number) => void) => {
      rang.push(places);
      world.astray = astray;
      return { count: world.come(places), more: world.more };
    },
    freed: () => {},
    vain: () => {},
    over: () => {
      over++;
      line.stop();
    },
  };
  const line = new WaitingLine({ kind, key: 'provider one', fair: false }, source, parts);
  return { time, world, rang, absent, line, over: () => over };
}

describe('a line', () => {
  it('calls as many as there is room for, and no more than wait', async () => {
    const { world, rang, line } = setUp();
    for (let count = 0; count < 3; count++) line.wait();
    world.room = 2;
    line.check();
    world.room = 5;
    line.check();
    line.check();
    expect([rang, line.waiting]).toEqual([[2, 1], 0]);
    line.stop();
  });

  it('goes on by what the store has of it, twice as fast each time', async () => {
    const { time, world, rang, line } = setUp();
    world.room = 1;
    world.more = 1;
    line.wait();
    world.room = 100;
    line.check();
    for (let turn = 0; turn < 5; turn++) await time.settle();
    expect(rang.slice(0, 5)).toEqual([1, 1, 2, 4, 8]);
    world.room = 3;
    world.more = 0;
    await time.settle();
    rang.splice(0);
    line.check();
    await time.settle();
    line.stop();
    expect(rang).toEqual([3]);
  });

  it('is as long as those who came are told of, and knows nobody any more where none are left', async () => {
    const { time, world, line } = setUp();
    line.wait();
    world.room = 1;
    world.more = 7;
    world.come = () => {
      world.room = 0;
      return 1;
    };
    line.check();
    await time.settle();
    expect(line.waiting).toBe(7);
    world.more = 5;
    world.room = 1;
    line.check();
    await time.settle();
    expect(line.waiting).toBe(6);
    line.stop();
  });

  it('is looked at when there may be room', async () => {
    const { time, world, rang, line } = setUp();
    world.nextAt = time.monotonic() + 500;
    line.wait();
    world.room = 1;
    await time.advance(499);
    expect(rang).toEqual([]);
    await time.advance(1);
    expect(rang).toEqual([1]);
    line.stop();
  });

  it('is looked at every ten seconds, in case nobody says that there is room', async () => {
    const { time, world, rang, line } = setUp();
    line.wait();
    world.room = 1;
    await time.advance(9999);
    expect(rang).toEqual([]);
    await time.advance(1);
    expect(rang).toEqual([1]);
    line.stop();
  });

  it('of many behind a rate is called when enough has gathered, also where there was room before', async () => {
    const { time, world, rang, line } = setUp({ kind: 'rate', patience: { ms: 100, places: 1 } });
    for (let count = 0; count < 30; count++) line.wait();
    world.room = 1;
    line.check();
    world.room = 0;
    await time.advance(50);
    world.room = 3;
    line.check();
    expect(rang).toEqual([1]);
    await time.advance(49);
    expect(rang).toEqual([1]);
    await time.advance(1);
    expect(rang).toEqual([1, 3]);
    line.stop();
  });

  it('waits for nobody who is not there when it is called', async () => {
    const { time, world, rang, absent, line } = setUp();
    for (let count = 0; count < 5; count++) line.wait();
    world.room = 2;
    world.come = () => 1;
    line.check();
    await time.settle();
    expect([rang, absent, line.waiting]).toEqual([[2], [1], 0]);
    world.room = 9;
    line.check();
    expect(rang).toEqual([2]);
    line.stop();
  });

  it('knows of those who came after it was called, where those who stood before them are not there', async () => {
    const { time, world, rang, line } = setUp();
    for (let count = 0; count < 5; count++) line.wait();
    world.room = 1;
    world.come = () => 0;
    for (let calls = 0; calls < 5; calls++) line.check();
    for (let count = 0; count < 8; count++) line.wait();
    await time.settle();
    expect([rang, line.waiting]).toEqual([[1, 1, 1, 1, 1], 8]);
    line.stop();
  });

  it('has those gone who were called elsewhere before, where it is called in vain', async () => {
    const { time, world, line } = setUp();
    let gone = 0;
    line.wait({ from: 'protocol one', gone: () => gone++ });
    line.wait({ from: 'protocol two', gone: () => gone++ });
    line.came('protocol two');
    world.room = 1;
    world.come = () => 0;
    line.check();
    await time.settle();
    expect(gone).toBe(1);
    line.stop();
  });

  it('says when it may be called, by its source or because enough has to gather', async () => {
    const { time, world, line } = setUp({ kind: 'rate', patience: { ms: 100, places: 1 } });
    world.nextAt = time.monotonic() + 500;
    for (let count = 0; count < 30; count++) line.wait();
    expect(line.dueAt(time.monotonic())).toBe(time.monotonic() + 500);
    world.room = 1;
    line.check();
    await time.advance(50);
    expect(line.dueAt(time.monotonic())).toBe(time.monotonic() + 50);
    line.stop();
  });

  it('gives up the places of those who went elsewhere, and calls others', async () => {
    const { time, world, rang, absent, line } = setUp();
    for (let count = 0; count < 5; count++) line.wait();
    world.room = 2;
    line.check();
    await time.settle();
    world.room = 1;
    world.astray(1);
    expect([rang, absent, line.waiting]).toEqual([[2, 1], [1], 2]);
    line.stop();
  });

  it('gives up no more places than were kept', async () => {
    const { time, world, absent, line } = setUp();
    line.wait();
    line.suspect();
    world.room = 3;
    world.come = () => 2;
    line.check();
    await time.settle();
    world.astray(1);
    world.astray(2);
    expect(absent).toEqual([1, 1, 1]);
    line.stop();
  });

  it('that has ended is not called again when it is heard that somebody went elsewhere', async () => {
    const { time, world, rang, line } = setUp();
    line.wait();
    world.room = 1;
    line.check();
    await time.settle();
    line.stop();
    world.astray(1);
    expect([rang, time.pending]).toEqual([[1], 0]);
  });

  it('guesses no longer that more are there when one of them was not', async () => {
    const { time, world, rang, line } = setUp();
    line.suspect();
    line.suspect();
    world.room = 1;
    world.come = () => 0;
    line.check();
    await time.settle();
    world.room = 9;
    line.check();
    expect(rang).toEqual([1]);
    line.stop();
  });

  it('is called once more before it is forgotten, in case somebody was missed', async () => {
    const { time, world, rang, line, over } = setUp();
    world.room = 1;
    line.wait();
    line.check();
    await time.advance(999);
    expect([rang, over()]).toEqual([[1], 0]);
    await time.advance(1);
    expect([rang, over(), time.pending]).toEqual([[1, 1], 1, 0]);
  });
});
