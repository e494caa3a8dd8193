import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Random } from '../core/ports/random.ts';

/** The machine's own clock, timers and randomness, behind the ports through which everything else gets them. */
export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

/** The longest a timer of the runtime can wait. */
const LONGEST = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after: (ms, call) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      timer = left <= LONGEST ? setTimeout(call, left) : setTimeout(() => wait(left - LONGEST), LONGEST);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
  soon: (call) => void setImmediate(call),
};

const POOL = 8192;

/** Bytes are drawn in advance: asking the system for eight at a time costs more than making an id. */
export function systemRandom(): Random {
  let pool = new Uint8Array(0);
  let used = 0;
  return {
    next: () => Math.random(),
    bytes: (count) => {
      if (used + count > pool.length) {
        pool = randomBytes(Math.max(POOL, count));
        used = 0;
      }
      used += count;
      return pool.subarray(used - count, used);
    },
  };
}
