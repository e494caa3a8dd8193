import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, type Choosing, choose, policies } from './select.ts';

const one = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  free: true,
  avoided: false,
  tier: 0,
  zone: null,
  weight: 1,
  in_flight: 0,
  latency: null,
  ...more,
});

/** Numbers that look drawn by lot, the same ones each time. */
function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const how = (more: Partial<Choosing> = {}): Choosing => ({
  policy: 'latency',
  zone: null,
  key: null,
  turns: new Map(),
  now: 0,
  draw: lots(1),
  ...more,
});

const anyone = fc.record({
  free: fc.boolean(),
  avoided: fc.boolean(),
  tier: fc.nat(2),
  zone: fc.constantFrom(null, 'a', 'b'),
  weight: fc.integer({ min: 1, max: 5 }),
  in_flight: fc.nat(20),
  latency: fc.option(fc.record({ ms: fc.double({ min: 0, max: 1000, noNaN: true }), at: fc.constant(0) })),
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
    const candidates = [one('a', { in_flight: 5, weight: 4 }), one('b', { in_flight: 1 })];
    expect(choose(candidates, how({ policy: 'least_in_flight' }))?.id).toBe('a');
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

describe('the better of two by latency', () => {
  const takes = (ms: number) => ({ ms, at: 0 });
  const chosenOf = (...candidates: Candidate[]) => choose(candidates, how())?.id;

  it('goes by the method that is called, and by all methods where nobody is known by it', () => {
    const slowElsewhere = { latency: takes(1), overall: takes(300) };
    expect(chosenOf(one('a', { latency: takes(25), overall: takes(25) }), one('b', slowElsewhere))).toBe('b');
    expect(chosenOf(one('a', { overall: takes(300) }), one('b', { overall: takes(25) }))).toBe('b');
    expect(chosenOf(one('a', { overall: takes(25) }), one('b', { overall: takes(300) }))).toBe('a');
  });

  it('takes whom it does not know by the method to be as quick as the other, whatever else it does', () => {
    const unknown = one('a', { overall: takes(9000) });
    expect(chosenOf(unknown, one('b', { latency: takes(5), in_flight: 1 }))).toBe('a');
    expect(chosenOf(one('b', { latency: takes(5), in_flight: 1 }), unknown)).toBe('a');
  });

  it('counts calls in flight where both are quicker than it matters, and not before', () => {
    const busy = (ms: number) => one('a', { latency: takes(ms), in_flight: 1 });
    expect(chosenOf(busy(0.001), one('b', { latency: takes(0.05) }))).toBe('b');
    expect(chosenOf(busy(1), one('b', { latency: takes(4) }))).toBe('a');
  });

  const known = (ms: number) => ({ ms, at: 0 });

  it('is not the quicker one where that fails, as long as that is remembered', () => {
    const flaky = { latency: known(2), failing: { share: 0.4, at: 0 } };
    const chosenAt = (now: number, latency: number) =>
      choose([one('flaky', flaky), one('well', { latency: { ms: latency, at: now } })], how({ now }))?.id;
    expect(chosenAt(0, 30)).toBe('well');
    expect(chosenAt(0, 401)).toBe('well');
    expect(chosenAt(0, 403)).toBe('flaky');
    expect(chosenAt(60_000, 30)).toBe('flaky');
  });

  it('is the quicker one with as many calls, and the other once that has its fill', () => {
    const pair = (in_flight: number) => [
      one('quick', { latency: known(10), in_flight }),
      one('slow', { latency: known(100) }),
    ];
    expect(choose(pair(0), how())?.id).toBe('quick');
    expect(choose(pair(8), how())?.id).toBe('quick');
    expect(choose(pair(10), how())?.id).toBe('slow');
  });

  it('takes one that is not known yet to be as quick as the other', () => {
    expect(choose([one('new', { in_flight: 1 }), one('old', { latency: known(200) })], how())?.id).toBe(
      'old',
    );
    expect(choose([one('new'), one('old', { latency: known(200), in_flight: 1 })], how())?.id).toBe('new');
    expect(choose([one('new', { in_flight: 1 }), one('newer')], how())?.id).toBe('newer');
  });

  it('keeps the load of equals close together', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const loads = new Array<number>(50).fill(0);
        const draw = lots(seed);
        for (let call = 0; call < 5000; call++) {
          const candidates = loads.map((in_flight, index) =>
            one(`${index}`, { in_flight, latency: known(10) }),
          );
          const chosen = Number(choose(candidates, how({ draw }))?.id);
          loads[chosen] = (loads[chosen] ?? 0) + 1;
        }
        expect(Math.max(...loads) - 100).toBeLessThanOrEqual(6);
      }),
      { numRuns: 5 },
    );
  });

  it('gives by weight', () => {
    const counts = { a: 0, b: 0 };
    const draw = lots(3);
    for (let call = 0; call < 3000; call++) {
      const candidates = [one('a', { weight: 2, in_flight: counts.a }), one('b', { in_flight: counts.b })];
      counts[choose(candidates, how({ draw }))?.id === 'a' ? 'a' : 'b']++;
    }
    expect(counts.a / counts.b).toBeCloseTo(2, 1);
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
    const pair = [one('quick', { latency: { ms: 1, at: 0 } }), one('slow', { latency: { ms: 9, at: 0 } })];
    expect(choose(pair, how({ policy: 'sticky' }))?.id).toBe('quick');
  });
});
