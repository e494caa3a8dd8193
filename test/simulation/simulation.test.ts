import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { simulate } from './world/world.ts';

const FEW = 40;
const MINUTE = 60_000;

function traceHash(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

describe('a simulated world', () => {
  it.each([1, 2, 3, 17, 99, 424_242])(
    'of seed %i happens the same way again',
    { timeout: MINUTE },
    async (seed) => {
      const first = await simulate(seed, { trace: true });
      const second = await simulate(seed, { trace: true });
      expect(first.lines.length).toBeGreaterThan(100);
      expect(traceHash(second.lines)).toBe(traceHash(first.lines));
      expect(second.steps).toBe(first.steps);
    },
  );

  it('is the same whether or not it is traced', async () => {
    const traced = await simulate(5, { trace: true });
    const plain = await simulate(5);
    expect([plain.steps, plain.crashes]).toEqual([traced.steps, traced.crashes]);
    expect(plain.lines).toEqual([]);
  });

  it('differs from seed to seed', async () => {
    const [one, other] = [await simulate(7, { trace: true }), await simulate(8, { trace: true })];
    expect(traceHash(one.lines)).not.toBe(traceHash(other.lines));
  });

  it(`keeps every invariant (${FEW} seeds; npm run simulate has more)`, { timeout: 2 * MINUTE }, async () => {
    const points = new Map<string, number>();
    for (let seed = 1; seed <= FEW; seed++) {
      const { violations, crashPoints } = await simulate(seed);
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      for (const [point, times] of crashPoints) points.set(point, (points.get(point) ?? 0) + times);
    }
    // Engines die around every effect there is, not just now and then.
    expect([...points.keys()].sort()).toEqual([
      'arrival',
      'call:after',
      'call:before',
      'commit:after',
      'commit:before',
      'publish:after',
      'publish:before',
      'read',
    ]);
  });
});
