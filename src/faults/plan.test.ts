import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noPlan, planOf, planText, seedFor } from './plan.ts';
import { type FaultSpec, noFaults, wrongAnswers } from './spec.ts';

const rate = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 400);
const specs: fc.Arbitrary<FaultSpec> = fc.record({
  latency: fc.record({ ms: fc.nat(1000), rate }),
  jitter: fc.record({ ms: fc.nat(1000), rate }),
  slow_bytes: fc.record({ per_second: fc.integer({ min: 1, max: 1_000_000 }), rate }),
  cut: rate,
  half_open: rate,
  reset: rate,
  wrong_answers: fc.record({ rate, kinds: fc.subarray([...wrongAnswers], { minLength: 1 }) }),
  seed: fc.constant(null),
});
const seeds = fc.nat();
const turns = fc.nat();

function plansOf(spec: FaultSpec, seed: number, count: number) {
  return Array.from({ length: count }, (_, turn) => planOf(spec, seed, turn));
}

describe('what happens to an answer', () => {
  it('follows from the spec, the seed and its number', () => {
    fc.assert(
      fc.property(specs, seeds, turns, (spec, seed, turn) => {
        expect(planOf(spec, seed, turn)).toEqual(planOf(spec, seed, turn));
      }),
    );
  });

  it('stays within what the spec allows', () => {
    fc.assert(
      fc.property(specs, seeds, turns, (spec, seed, turn) => {
        const { wait_ms, bytes_per_second, fault } = planOf(spec, seed, turn);
        expect(wait_ms).toBeGreaterThanOrEqual(0);
        expect(wait_ms).toBeLessThanOrEqual(spec.latency.ms + spec.jitter.ms);
        expect([null, spec.slow_bytes.per_second]).toContain(bytes_per_second);
        if (fault?.kind === 'cut') expect(fault.share >= 0 && fault.share < 1).toBe(true);
        if (fault?.kind === 'wrong_answer') expect(spec.wrong_answers.kinds).toContain(fault.how);
        if (fault !== null && fault.kind !== 'wrong_answer') expect(spec[fault.kind]).toBeGreaterThan(0);
      }),
    );
  });

  it('is nothing where no fault was asked for', () => {
    fc.assert(
      fc.property(seeds, turns, (seed, turn) => {
        expect(planOf(noFaults, seed, turn)).toEqual(noPlan);
      }),
    );
  });

  it.each(['cut', 'half_open', 'reset'] as const)('is a %s each time at 100 %%', (kind) => {
    fc.assert(
      fc.property(seeds, turns, (seed, turn) => {
        expect(planOf({ ...noFaults, [kind]: 1 }, seed, turn).fault).toMatchObject({ kind });
      }),
    );
  });

  it('has each fault about as often as it was asked for, and each wrong answer', () => {
    const spec: FaultSpec = {
      ...noFaults,
      latency: { ms: 10, rate: 0.5 },
      cut: 0.1,
      half_open: 0.05,
      reset: 0.2,
      wrong_answers: { rate: 0.25, kinds: wrongAnswers },
    };
    const count = 20_000;
    const plans = plansOf(spec, 7, count);
    const share = (holds: (plan: (typeof plans)[number]) => boolean) => plans.filter(holds).length / count;
    expect(share(({ wait_ms }) => wait_ms === 10)).toBeCloseTo(0.5, 2);
    expect(share(({ fault }) => fault?.kind === 'cut')).toBeCloseTo(0.1, 2);
    expect(share(({ fault }) => fault?.kind === 'half_open')).toBeCloseTo(0.05, 2);
    expect(share(({ fault }) => fault?.kind === 'reset')).toBeCloseTo(0.2, 2);
    for (const how of wrongAnswers)
      expect(share(({ fault }) => fault?.kind === 'wrong_answer' && fault.how === how)).toBeCloseTo(0.05, 2);
    expect(share(({ fault }) => fault === null)).toBeCloseTo(0.4, 2);
  });

  it('is uneven as often as it was asked for, whatever else there is', () => {
    const spec = { ...noFaults, latency: { ms: 10, rate: 1 }, jitter: { ms: 1_000_000, rate: 0.25 } };
    const count = 20_000;
    const uneven = plansOf(spec, 7, count).filter(({ wait_ms }) => wait_ms > 10);
    expect(uneven.length / count).toBeCloseTo(0.25, 2);
  });

  it('differs by seed, and one fault more moves no other', () => {
    const spec = { ...noFaults, latency: { ms: 10, rate: 0.5 } };
    expect(plansOf(spec, seedFor(1, 0), 50)).not.toEqual(plansOf(spec, seedFor(1, 1), 50));
    const more = plansOf({ ...spec, reset: 0.5 }, 3, 50).map(({ wait_ms }) => wait_ms);
    expect(more).toEqual(plansOf(spec, 3, 50).map(({ wait_ms }) => wait_ms));
  });
});

describe('planText', () => {
  it('tells all that happens, or nothing', () => {
    const fault = { kind: 'wrong_answer', how: 'empty' } as const;
    expect(planText({ wait_ms: 5, bytes_per_second: 9, fault })).toBe(
      '5 ms late, 9 bytes a second, wrong answer: empty',
    );
    expect(planText({ ...noPlan, fault: { kind: 'reset' } })).toBe('reset');
    expect(planText(noPlan)).toBe(null);
  });
});
