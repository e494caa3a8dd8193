import { describe, expect, it } from 'vitest';
import type { Event } from '../../core/events.ts';
import { World } from '../../engine/testing/world.suite.ts';
import { defaultHubLimits } from './hub.ts';
import { Tail } from './tail.ts';

describe('the reader of the feed', () => {
  it('waits before it reads again what could not be read, and not after it was stopped', async () => {
    const { time } = new World();
    let reads = 0;
    let warnings = 0;
    const tail = new Tail({
      events: () => {
        reads++;
        // Whoever does not wait would read without end.
        return reads > 20 ? nothing() : away();
      },
      cursor: async () => 0,
      timers: time,
      logger: { debug() {}, info() {}, warn: () => void warnings++, error() {} },
      recent: defaultHubLimits.recent,
      heard: () => 0,
    });
    await tail.start();
    await time.settle();
    expect([reads, warnings]).toEqual([1, 1]);
    await time.advance(999);
    expect(reads).toBe(1);
    await time.advance(1);
    expect(reads).toBe(2);
    await time.advance(3000);
    expect([reads, warnings]).toEqual([5, 5]);
    tail.stop();
    await time.advance(10_000);
    expect(reads).toBe(5);
  });
});

async function* nothing(): AsyncGenerator<Event> {}

// biome-ignore lint/correctness/useYield: it fails before there is anything to yield.
async function* away(): AsyncGenerator<Event> {
  throw new Error('away');
}
