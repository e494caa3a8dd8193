import { describe, expect, it } from 'vitest';
import { type Line, nobodyCame } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { PoolLines } from './pool-lines.ts';

const HOUR = 3_600_000;

/** There is always room for one, and the next comes in an hour; nobody is ever there. */
function empty() {
  const time = new VirtualTime();
  const rang: string[] = [];
  const source = {
    room: () => 1,
    keep: () => () => {},
    nextAt: () => HOUR,
    patience: () => null,
  };
  const ring = async ({ key }: Line) => {
    rang.push(key);
    return nobodyCame;
  };
  return {
    time,
    rang,
    source,
    lines: new PoolLines({ clock: time, timers: time, ring, ofEachKey: () => 1 }),
  };
}

describe('the lines of a pool', () => {
  it('are not suspected again where nobody was a moment ago', async () => {
    const { time, rang, source, lines } = empty();
    const line: Line = { kind: 'rate', key: 'a/v1 user=7', fair: true };
    lines.suspect(line, source, null);
    await time.settle();
    lines.suspect(line, source, null);
    await time.settle();
    expect(rang).toEqual(['a/v1 user=7']);
    await time.advance(20_000);
    const before = rang.length;
    lines.suspect(line, source, null);
    expect(rang.length).toBe(before + 1);
    lines.stop();
  });

  it('say when they may be called, those of a key who wait for what all wait for with the others', () => {
    const { source, lines } = empty();
    const line: Line = { kind: 'rate', key: 'providers of a/v1', fair: false };
    const opened = lines.wait(line, source, { key: 'user=7', carried: null, found: false });
    const longer = { ...line, key: 'providers of a/v1 for echo' };
    lines.wait(longer, { ...source, nextAt: () => 2 * HOUR }, { key: null, carried: null, found: false });
    expect(opened.key).toBe('providers of a/v1 user=7');
    expect([line, opened, longer].map((one) => lines.dueAt(one, 0))).toEqual([HOUR, HOUR, 2 * HOUR]);
    expect(lines.dueAt(line, HOUR)).toBeNull();
    expect(lines.dueAt({ kind: 'rate', key: 'providers of a' }, 0)).toBeNull();
    expect(lines.dueAt({ ...line, kind: 'breaker' }, 0)).toBeNull();
    lines.wait({ ...line, kind: 'concurrency' }, source, { key: null, carried: null, found: false });
    expect(lines.dueAt({ ...line, kind: 'concurrency' }, 0)).toBeNull();
    lines.stop();
  });

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
      return { count: places, more: 0 };
    };
    const lines = new PoolLines({ clock: time, timers: time, ring, ofEachKey: () => 1 });
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
