import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChoiceWorld, how, lots, one } from '../testing/choice.suite.ts';
import { choose, policies } from './select.ts';

const anyone = fc.record({
  free: fc.boolean(),
  avoided: fc.boolean(),
  tier: fc.nat(2),
  zone: fc.constantFrom(null, 'a', 'b'),
  weight: fc.integer({ min: 1, max: 5 }),
  in_flight: fc.nat(20),
  latency: fc.option(fc.double({ min: 0, max: 1000, noNaN: true }).map((ms) => ({ ms, mean_ms: ms, at: 0 }))),
});
const some = fc
  .array(anyone, { maxLength: 12 })
  .map((list) => list.map((each, index) => ({ ...each, id: `p${index}` })));

describe('whoever gets a call', () => {
  it('may be asked, is of the lowest tier and of our zone, and was not tried before, as far as there is one', () => {
    const choosing = fc.record({
      policy: fc.constantFrom(...policies),
      zone: fc.constantFrom(null, 'a'),
      key: fc.option(fc.string()),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(some, choosing, (candidates, { seed, ...rest }) => {
        const chosen = choose(candidates, how({ ...rest, draw: lots(seed) }));
        const free = candidates.filter(({ free: is }) => is);
        if (chosen === null) {
          expect(free).toEqual([]);
          return;
        }
        expect(free).toContain(chosen);
        const fresh = free.filter(({ avoided }) => avoided === chosen.avoided);
        if (chosen.avoided) expect(free.every(({ avoided }) => avoided)).toBe(true);
        const tier = Math.min(...fresh.map((candidate) => candidate.tier));
        expect(chosen.tier).toBe(tier);
        const near = fresh.some((candidate) => candidate.tier === tier && candidate.zone === rest.zone);
        if (rest.zone !== null && near) expect(chosen.zone).toBe(rest.zone);
      }),
    );
  });

  it('has a place kept for it where it was called, unless it sticks to another', () => {
    const kept = [one('a'), one('b', { kept: true }), one('c', { tier: 1, kept: true })];
    for (const policy of policies)
      for (let seed = 0; seed < 20; seed++)
        expect(choose(kept, how({ policy, draw: lots(seed) }))?.id).toBe('b');
    const by = (key: string) => choose(kept, how({ policy: 'sticky', key }))?.id;
    expect(new Set(['1', '2', '3', '4', '5', '6', '7', '8'].map(by))).toEqual(new Set(['a', 'b']));
  });

  it('is nobody where nobody may be asked', () => {
    expect(choose([one('a', { free: false })], how())).toBeNull();
    expect(choose([], how())).toBeNull();
  });

  it('is of a later tier before it is one that has failed', () => {
    expect(choose([one('a', { avoided: true }), one('b', { tier: 1 })], how())?.id).toBe('b');
    expect(choose([one('a', { avoided: true }), one('b', { tier: 1, free: false })], how())?.id).toBe('a');
  });
});

describe('round robin', () => {
  it('chooses each as often as it weighs, over every cycle', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 3 }), (list, cycles) => {
        const candidates = list.map((weight, index) => one(`p${index}`, { weight }));
        const choosing = how({ policy: 'round_robin' });
        const sum = list.reduce((total, weight) => total + weight, 0);
        for (let cycle = 0; cycle < cycles; cycle++) {
          const ids = Array.from({ length: sum }, () => choose(candidates, choosing)?.id);
          expect(candidates.map(({ id }) => ids.filter((found) => found === id).length)).toEqual(list);
        }
      }),
    );
  });

  it('spreads the heavy one over the cycle', () => {
    const candidates = [one('a', { weight: 5 }), one('b'), one('c')];
    const choosing = how({ policy: 'round_robin' });
    const ids = Array.from({ length: 7 }, () => choose(candidates, choosing)?.id).join('');
    expect(ids).toBe('aabacaa');
  });
});

describe('least in flight', () => {
  it('counts calls by weight', () => {
    const chosen = (in_flight: number) =>
      choose(
        [one('a', { in_flight, weight: 4 }), one('b', { in_flight: 1 })],
        how({ policy: 'least_in_flight' }),
      )?.id;
    expect([chosen(3), chosen(8)]).toEqual(['a', 'b']);
  });
});

describe('least in flight among many that are idle', () => {
  it('spreads over all of them', () => {
    const candidates = Array.from({ length: 10 }, (_, index) => one(`p${index}`));
    const draw = lots(1);
    const chosen = Array.from({ length: 500 }, () =>
      choose(candidates, how({ policy: 'least_in_flight', draw })),
    );
    for (const candidate of candidates)
      expect(chosen.filter((each) => each === candidate).length).toBeGreaterThan(20);
  });
});

describe('weights', () => {
  const weighed = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 5 });
  const spread = fc.record({
    policy: fc.constantFrom('latency' as const, 'least_in_flight' as const),
    weights: weighed,
    width: fc.constantFrom(1, 2, 3, 8, 40),
    seed: fc.nat(),
  });

  it('share calls out among equals, with nothing in flight as with much', () => {
    fc.assert(
      fc.property(spread, ({ policy, weights, width, seed }) => {
        const servers = weights.map((weight) => ({ weight, ms: 10 }));
        const world = new ChoiceWorld(servers, { policy, draw: lots(seed) });
        world.atOnce(width, 4000);
        const sum = weights.reduce((all, weight) => all + weight, 0);
        for (const [index, weight] of weights.entries())
          expect(Math.abs((world.calls[index] ?? 0) / 4000 - weight / sum)).toBeLessThan(0.04);
      }),
      { numRuns: 60 },
    );
  });

  it('leave nobody out, whatever the order', () => {
    for (const policy of ['latency', 'least_in_flight'] as const) {
      const world = new ChoiceWorld(
        Array.from({ length: 4 }, () => ({ ms: 1 })),
        { policy },
      );
      world.inTurn(400);
      for (const calls of world.calls) expect(calls).toBeGreaterThan(60);
    }
  });
});

describe('sticky', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 12 });
  const sticky = (key: string) => how({ policy: 'sticky', key });

  it('moves only the keys of the one that went', () => {
    fc.assert(
      fc.property(ids, fc.array(fc.string(), { maxLength: 40 }), fc.nat(), (names, keys, which) => {
        const all = names.map((id, index) => one(id, { weight: 1 + (index % 3) }));
        const gone = all[which % all.length]?.id;
        const rest = all.filter(({ id }) => id !== gone);
        for (const key of keys) {
          const before = choose(all, sticky(key))?.id;
          const after = choose(rest, sticky(key))?.id;
          if (before !== gone) expect(after).toBe(before);
        }
      }),
    );
  });

  it('spreads keys by weight', () => {
    const all = [one('a', { weight: 3 }), one('b'), one('c')];
    const chosen = Array.from({ length: 5000 }, (_, key) => choose(all, sticky(`user ${key}`))?.id);
    expect(chosen.filter((id) => id === 'a').length / 5000).toBeCloseTo(0.6, 1);
    expect(chosen.filter((id) => id === 'b').length / 5000).toBeCloseTo(0.2, 1);
  });

  it('goes by latency where a call has no key', () => {
    const pair = [
      one('quick', { latency: { ms: 1, mean_ms: 1, at: 0 } }),
      one('slow', { latency: { ms: 900, mean_ms: 900, at: 0 } }),
    ];
    expect(choose(pair, how({ policy: 'sticky' }))?.id).toBe('quick');
  });
});
