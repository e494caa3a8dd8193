import { describe, expect, it } from 'vitest';
import type { Timers } from '../../core/ports/clock.ts';
import { MemoryWatch } from './memory.ts';

function setUp() {
  const waiting: (() => void)[] = [];
  const timers: Timers = {
    after: (_, call) => {
      waiting.push(call);
      return () => {};
    },
    soon: () => {},
  };
  const usage = new Map<number, number>();
  const looks: (() => void)[] = [];
  const watch = new MemoryWatch(timers, async () => {
    looks.shift()?.();
    return usage;
  });
  /** Resolves when memory was looked at, and what came of it told. */
  const look = async () => {
    const looked = new Promise<void>((resolve) => looks.push(resolve));
    waiting.shift()?.();
    await looked;
    await Promise.resolve();
    await Promise.resolve();
  };
  return { waiting, usage, watch, look };
}

describe('the memory of groups', () => {
  it('is looked at while there is a group with a limit, and not otherwise', async () => {
    const { waiting, watch, look } = setUp();
    expect(waiting).toHaveLength(0);
    const stop = watch.watch(1, 100, () => {});
    watch.watch(2, 100, () => {})();
    await look();
    expect(waiting).toHaveLength(1);
    stop();
    waiting.shift()?.();
    expect(waiting).toHaveLength(0);
  });

  it('is told once when it is more than its limit', async () => {
    const { usage, watch, look } = setUp();
    const told: string[] = [];
    watch.watch(1, 100, () => told.push('one'));
    watch.watch(2, 100, () => told.push('two'));
    usage.set(1, 100).set(2, 101);
    await look();
    expect(told).toEqual(['two']);
    usage.set(1, 500);
    await look();
    expect(told).toEqual(['two', 'one']);
  });
});
