import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, copyOfTheCode, plantedBugs, simulateIn, takeBack } from './planted.ts';

const SEEDS = 1000;
const CLEAN = 150;
const MINUTES = 60_000;
const bugs = await plantedBugs();
const found: string[] = [];
let copy: Awaited<ReturnType<typeof copyOfTheCode>>;

// A check that has never failed proves nothing: each of these bugs must be found by the same seeds that pass without.
describe('the simulation', () => {
  beforeAll(async () => {
    copy = await copyOfTheCode();
  });

  it('finds nothing in the code as it is', { timeout: 5 * MINUTES }, async () => {
    const clean = { violations: 0, first_failing_seed: null };
    expect(await simulateIn(copy.path, CLEAN)).toMatchObject(clean);
    for (const { lastFound } of bugs)
      if (lastFound !== null && lastFound > CLEAN)
        expect(await simulateIn(copy.path, 1, lastFound)).toMatchObject(clean);
  });

  it('has bugs to find', () => {
    expect(bugs.length).toBeGreaterThanOrEqual(10);
  });

  it.each(bugs)('finds $name', { timeout: 5 * MINUTES }, async ({ name, patch, why, lastFound }) => {
    await apply(copy.path, patch).catch((thrown: unknown) => {
      throw new Error(`${name}.patch does not fit the code any more; make it anew. ${String(thrown)}`);
    });
    try {
      if (lastFound !== null && (await simulateIn(copy.path, 1, lastFound)).violations > 0) return;
      const verdict = await simulateIn(copy.path, SEEDS);
      expect(verdict.violations, `${name} (${why}) was not found in ${verdict.seeds} seeds`).toBeGreaterThan(
        0,
      );
      found.push(
        `seeds.json is behind for ${name}: seed ${verdict.first_failing_seed}, ${verdict.seeds} seeds, ${verdict.seconds} s`,
      );
    } finally {
      await takeBack(copy.path, patch);
    }
  });

  afterAll(async () => {
    await copy.remove();
    console.log(found.join('\n'));
  });
});
