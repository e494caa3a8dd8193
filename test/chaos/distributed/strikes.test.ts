import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../arguments.ts';
import { type Plan, type Strike, strikesOf, type Target, targets } from './strikes.ts';

const countOf = (strikes: readonly Strike[], target: Target) =>
  strikes.flatMap(({ victims }) => victims).filter((victim) => victim.target === target).length;

const plan: Plan = { targets, kills: 60, engines: 2, bridges: 2 };

describe('strikes', () => {
  it('kill at least ten of each target in sixty, and all engines and bridges at once in some', () => {
    const strikes = strikesOf(plan, seededRandom(1));
    for (const target of targets) expect(countOf(strikes, target)).toBe(15);
    const atOnce = strikes.filter(({ victims }) => victims.length >= 4);
    expect(atOnce).toHaveLength(3);
    expect(atOnce.filter(({ victims }) => victims.length === 6)).toHaveLength(1);
    expect(strikesOf(plan, seededRandom(1))).toEqual(strikes);
  });

  it('are one of each target where there are only four', () => {
    const strikes = strikesOf({ ...plan, kills: 4 }, seededRandom(7));
    expect(strikes.map(({ victims }) => victims.length)).toEqual([1, 1, 1, 1]);
    for (const target of targets) expect(countOf(strikes, target)).toBe(1);
  });

  it('are as many as asked for, evenly shared, and hit only what is there', () => {
    const some = fc.record({
      targets: fc.subarray([...targets], { minLength: 1 }),
      kills: fc.nat({ max: 200 }),
      engines: fc.integer({ min: 1, max: 4 }),
      bridges: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(some, fc.nat(), (asked, seed) => {
        const strikes = strikesOf(asked, seededRandom(seed));
        const victims = strikes.flatMap((strike) => strike.victims);
        expect(victims).toHaveLength(asked.kills);
        const counts = asked.targets.map((target) => countOf(strikes, target));
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        const numbers = { engine: asked.engines, bridge: asked.bridges, kafka: 1, postgres: 1 };
        for (const { target, index } of victims) expect(index).toBeLessThan(numbers[target]);
        for (const { victims: struck } of strikes)
          expect(new Set(struck.map(({ target, index }) => `${target} ${index}`)).size).toBe(struck.length);
      }),
    );
  });
});
