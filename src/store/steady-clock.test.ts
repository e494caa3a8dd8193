import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steadyClock } from './steady-clock.ts';

function machine(wall: number, monotonic: number) {
  const state = { wall, monotonic };
  return { state, clock: { wall: () => state.wall, monotonic: () => state.monotonic } };
}

describe('the clock of a store', () => {
  it('starts at wall time and goes by the monotonic clock, in whole milliseconds', () => {
    const { state, clock } = machine(1000, 50.25);
    const now = steadyClock(clock, 0);
    expect(now()).toBe(1000);
    state.monotonic += 10.9;
    expect(now()).toBe(1010);
    expect(Number.isInteger(now())).toBe(true);
  });

  it('does not see the wall clock jump', () => {
    const { state, clock } = machine(1000, 0);
    const now = steadyClock(clock, 0);
    state.wall += 3600_000;
    expect(now()).toBe(1000);
    state.wall -= 7200_000;
    expect(now()).toBe(1000);
  });

  it('starts no earlier than the newest time the store has seen', () => {
    const { state, clock } = machine(1000, 7);
    const now = steadyClock(clock, 5000);
    expect(now()).toBe(5000);
    state.monotonic += 1;
    expect(now()).toBe(5001);
    expect(steadyClock(clock, 999)()).toBe(1000);
  });

  it('never goes back, over restarts too, whatever the wall clock did meanwhile', () => {
    const step = fc.record({ wall: fc.integer({ min: 0, max: 1e12 }), runs: fc.array(fc.nat(1e6)) });
    fc.assert(
      fc.property(fc.array(step), (restarts) => {
        let newest = 0;
        for (const { wall, runs } of restarts) {
          const { state, clock } = machine(wall, 3);
          const now = steadyClock(clock, newest);
          for (const ms of [0, ...runs]) {
            state.monotonic += ms;
            expect(now()).toBeGreaterThanOrEqual(newest);
            newest = now();
          }
        }
      }),
    );
  });
});
