import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChoiceWorld, how, lots, one, type Server } from '../testing/choice.suite.ts';
import type { Candidate } from './candidate.ts';
import { choose } from './select.ts';

const known = (ms: number, mean_ms = ms) => ({ ms, mean_ms, at: 0 });

/** Which share of many choices goes to the first of them. */
function shareOf(candidates: readonly Candidate[], now = 0): number {
  const draw = lots(7);
  const chosen = Array.from({ length: 4000 }, () => choose(candidates, how({ now, draw }))?.id);
  return chosen.filter((id) => id === candidates[0]?.id).length / chosen.length;
}

describe('the better of two by latency', () => {
  it('goes by the method that is called, and by all methods where nobody is known by it', () => {
    const slowElsewhere = one('a', { latency: known(1), overall: known(300) });
    expect(shareOf([slowElsewhere, one('b', { latency: known(25), overall: known(25) })])).toBeGreaterThan(
      0.99,
    );
    expect(shareOf([one('a', { overall: known(300) }), one('b', { overall: known(25) })])).toBeLessThan(0.02);
  });

  it('counts calls in flight where both are quicker than it matters, and not before', () => {
    const busy = (ms: number) => one('a', { latency: known(ms), in_flight: 1 });
    expect(shareOf([busy(0.001), one('b', { latency: known(0.05) })])).toBe(0);
    expect(shareOf([busy(1), one('b', { latency: known(4) })])).toBe(1);
  });

  it('is the quicker one with as many calls, and the other once that has its fill', () => {
    const pair = (in_flight: number) => [
      one('quick', { latency: known(10), in_flight }),
      one('slow', { latency: known(100) }),
    ];
    expect(shareOf(pair(0))).toBeGreaterThan(0.98);
    expect(shareOf(pair(8))).toBe(1);
    expect(Math.abs(shareOf(pair(9)) - 0.5)).toBeLessThan(0.1);
    expect(shareOf(pair(10))).toBe(0);
  });

  it('is by lot with nothing in flight: by weight, and by how long each takes', () => {
    const pair = (ms: number, weight = 1) => [
      one('a', { latency: known(10), weight }),
      one('b', { latency: known(ms) }),
    ];
    expect(shareOf(pair(10))).toBeCloseTo(0.5, 1);
    expect(shareOf(pair(10, 3))).toBeCloseTo(0.75, 1);
    const busy = one('a', { latency: known(10), weight: 3, in_flight: 1 });
    expect(shareOf([busy, one('b', { latency: known(10) })])).toBeCloseTo(2 / 3, 1);
    expect(shareOf(pair(20))).toBeCloseTo(0.87, 1);
  });

  it('is not the other for one slow answer, before it has much to do', () => {
    const once = (in_flight: number) => one('once', { latency: known(100, 11), in_flight });
    const other = (in_flight: number) => one('other', { latency: known(10), in_flight });
    expect(shareOf([once(0), other(0)])).toBeGreaterThan(0.35);
    expect([shareOf([once(1), other(8)]), shareOf([once(0), other(8)])]).toEqual([0, 0]);
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
});

describe('one of whom nothing is known', () => {
  const old = (in_flight: number) => one('old', { latency: known(5), in_flight });

  it('comes first as long as it has no call of the method, wherever it stands and whatever else it does', () => {
    const unknown = one('new', { overall: known(9000), in_flight: 40 });
    expect([shareOf([unknown, old(0)]), shareOf([old(0), unknown])]).toEqual([1, 0]);
  });

  it('is taken to be as quick as the other then, and asked by and by', () => {
    const asked = (calls: number, in_flight: number) =>
      shareOf([one('new', { in_flight: calls, under_way: calls }), old(in_flight)]);
    expect(asked(1, 0)).toBe(0);
    expect([asked(1, 2), asked(1, 4)]).toEqual([0, 1]);
    expect([asked(9, 98), asked(9, 100)]).toEqual([0, 1]);
  });

  it('is one of two that are equal, where nothing is known of the other either', () => {
    expect(shareOf([one('a', { in_flight: 1, under_way: 1 }), one('b')])).toBe(0);
    expect(shareOf([one('a'), one('b')])).toBeCloseTo(0.5, 1);
    expect(shareOf([one('a', { weight: 3 }), one('b')])).toBeCloseTo(0.75, 1);
  });

  it('is not known by its first answer, which may have been slow for being the first', () => {
    const first = one('once', { latency: { ...known(300), first: true } });
    expect([shareOf([first, old(0)]), shareOf([{ ...first, under_way: 1 }, old(0)])]).toEqual([1, 0]);
  });

  it('is not new any more once it has answered, if only with an error', () => {
    expect(shareOf([one('refuses', { tried: true }), old(0)])).toBeCloseTo(0.5, 1);
    const failing = { share: 0.1, at: 0 };
    expect(shareOf([one('fails', { tried: true, failing }), old(0)])).toBeLessThan(0.02);
  });

  it('is called within a few choices for each there is', () => {
    const servers = fc.array(
      fc.record<Server>({
        ms: fc.constantFrom(1, 5, 300, Number.POSITIVE_INFINITY),
        weight: fc.integer({ min: 1, max: 5 }),
        fails: fc.constantFrom(false, false, true),
      }),
      { minLength: 2, maxLength: 8 },
    );
    fc.assert(
      fc.property(servers, fc.constantFrom(1, 20, 500), fc.nat(), (all, rate, seed) => {
        const world = new ChoiceWorld(all, { patience_ms: 1000, draw: lots(seed) });
        const choices = 40 * all.length;
        world.perSecond(rate, Math.ceil(choices / rate));
        expect(Math.min(...world.calls)).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });

  it('gets a few calls at most while it hangs, however many come', () => {
    const all = [{ ms: 20 }, { ms: 20 }, { ms: 20 }, { ms: Number.POSITIVE_INFINITY }];
    fc.assert(
      fc.property(fc.constantFrom(10, 100, 1000), fc.nat(), (rate, seed) => {
        const world = new ChoiceWorld(all, { draw: lots(seed) });
        for (const others of world.known.slice(0, 3)) others.latency = known(20);
        world.perSecond(rate, 20);
        expect(world.calls[3]).toBeGreaterThan(0);
        expect(world.calls[3]).toBeLessThanOrEqual(4);
      }),
      { numRuns: 20 },
    );
  });
});

describe('one that is worse than the other', () => {
  const hung = { ms: Number.POSITIVE_INFINITY };
  const worse: readonly [string, Server, number][] = [
    ['takes ten times as long', { ms: 100 }, 0.02],
    ['takes sixty times as long', { ms: 600 }, 0.02],
    ['fails', { ms: 1, fails: true }, 0.02],
    ['hangs', hung, 0.02],
  ];

  it.each(worse)('gets a small share of the calls where it %s', (_, server, most) => {
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 4), fc.nat(), (width, seed) => {
        const world = new ChoiceWorld([server, { ms: 10 }], { patience_ms: 1000, draw: lots(seed) });
        world.atOnce(width, 2000);
        expect((world.calls[0] ?? 0) / 2000).toBeLessThan(most);
      }),
      { numRuns: 10 },
    );
  });

  it.each(worse)('is tried again where it %s, seldom, however few calls there are', (_, server) => {
    for (const pause_ms of [1000, 10_000, 60_000, 3_600_000]) {
      const world = new ChoiceWorld([server, { ms: 10 }], { patience_ms: 1000, draw: lots(3) });
      world.inTurn(2000, pause_ms);
      expect(world.calls[0]).toBeGreaterThan(5);
      expect(world.calls[0]).toBeLessThan(120);
    }
  });

  it('has its share again soon after it is as good as the other', () => {
    for (const pause_ms of [100, 1000, 10_000, 60_000]) {
      const servers: Server[] = [{ ms: 300 }, { ms: 10 }];
      const world = new ChoiceWorld(servers, { draw: lots(5) });
      world.inTurn(100, pause_ms);
      servers[0] = { ms: 10 };
      world.inTurn(1000, pause_ms);
      const later = world.inTurn(200, pause_ms).filter((chosen) => chosen === 0).length;
      expect(later / 200).toBeGreaterThan(0.3);
    }
  });

  it('gets no more than a rare call while it hangs, at a thousand a second', () => {
    for (const seed of [1, 2, 3]) {
      const all = [{ ms: 1 }, { ms: 1 }, hung];
      const world = new ChoiceWorld(all, { patience_ms: 1000, draw: lots(seed) });
      world.perSecond(1000, 5);
      const begun = world.calls[2] ?? 0;
      world.perSecond(1000, 200);
      expect((world.calls[2] ?? 0) - begun).toBeLessThan(20);
    }
  });
});
