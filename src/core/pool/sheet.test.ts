import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bucket } from './bucket.ts';
import { type Claim, type Demand, divide, emptySheet, MOST_BUCKETS, takenTokens, tidied } from './sheet.ts';
import { readSheet, sheetText } from './sheet-text.ts';

const demand = (more: Partial<Demand> = {}): Demand => ({
  name: 'x',
  most: 10,
  used: 0,
  keep: 0,
  hungry: false,
  yields: false,
  ...more,
});
const live = (...owners: string[]) => new Set(owners);
const sheetOf = (...list: Claim[]) => ({ ...emptySheet, claims: new Map([['x', list]]) });
const claim = (owner: string, held: number, hungry = false): Claim => ({ owner, held, hungry });

describe('a sheet of limits', () => {
  it('is one engine’s as a whole while it is alone', () => {
    const { sheet, grants } = divide(emptySheet, { owner: 'a', live: live('a'), demands: [demand()] });
    expect(sheet).toEqual({ ...emptySheet, whole: 'a' });
    expect(grants.get('x')).toEqual({ held: 10, goal: 10, contested: false, uneven: false, hope: 10 });
    expect(divide(sheet, { owner: 'a', live: live('a', 'b'), demands: [] }).sheet.whole).toBe('a');
  });

  it('is asked for by another, and then shared', () => {
    const whole = { ...emptySheet, whole: 'a' };
    const engines = live('a', 'b');
    const asked = divide(whole, { owner: 'b', live: engines, demands: [demand({ hungry: true })] });
    expect(asked.sheet).toEqual({ ...sheetOf(claim('b', 0, true)), whole: 'a' });
    expect(asked.grants.get('x')?.held).toBe(0);
    const busy = demand({ used: 9, hungry: true });
    const shared = divide(asked.sheet, { owner: 'a', live: engines, demands: [busy] });
    expect(shared.sheet).toEqual(sheetOf(claim('b', 0, true), claim('a', 9, true)));
    expect(shared.grants.get('x')).toEqual({ held: 9, goal: 5, contested: true, uneven: false, hope: 10 });
    const idle = divide(asked.sheet, { owner: 'a', live: engines, demands: [demand({ keep: 10 })] });
    expect(idle.sheet).toEqual(sheetOf(claim('b', 0, true)));
    const taken = divide(idle.sheet, { owner: 'b', live: engines, demands: [demand({ hungry: true })] });
    expect(taken.sheet).toEqual(sheetOf(claim('b', 10, true)));
  });

  it('gives nothing to one who wants nothing of what another has as a whole', () => {
    const whole = { ...emptySheet, whole: 'a' };
    expect(divide(whole, { owner: 'b', live: live('a', 'b'), demands: [demand()] }).sheet).toEqual(whole);
  });

  it('gives hope of what others do not ask for, and of an even share of what they do', () => {
    const hopeOf = (...list: Claim[]) => {
      const asking = { owner: 'a', live: live('a', 'b', 'c'), demands: [demand()] };
      return divide(sheetOf(...list), asking).grants.get('x')?.hope;
    };
    expect(hopeOf(claim('b', 10))).toBe(10);
    expect(hopeOf(claim('b', 10, true))).toBe(5);
    expect(hopeOf(claim('b', 2, true))).toBe(8);
    expect(hopeOf(claim('b', 5, true), claim('c', 5, true))).toBe(3);
    expect(
      divide(
        { ...emptySheet, whole: 'b' },
        { owner: 'a', live: live('a', 'b'), demands: [demand()] },
      ).grants.get('x'),
    ).toMatchObject({ held: 0, hope: 10 });
  });

  it('turns nobody out of the way who could use no more', () => {
    const before = sheetOf(claim('a', 2), claim('b', 1, true));
    const asking = { owner: 'a', live: live('a', 'b'), demands: [demand({ most: 3, used: 2, keep: 2 })] };
    expect(divide(before, asking).grants.get('x')?.uneven).toBe(false);
  });

  it('is free of what the dead have left', () => {
    const left = { ...sheetOf(claim('dead', 10)), whole: 'gone' };
    const asking = { owner: 'b', live: live('b', 'c'), demands: [demand({ hungry: true })] };
    expect(divide(left, asking).sheet).toEqual(sheetOf(claim('b', 10, true)));
  });

  it('leaves what is unused where it is until somebody needs it', () => {
    const engines = live('a', 'b');
    const before = sheetOf(claim('a', 4), claim('b', 2));
    const kept = divide(before, { owner: 'a', live: engines, demands: [demand({ used: 1, keep: 4 })] });
    expect(kept.sheet).toEqual(before);
    const given = divide(sheetOf(claim('a', 4), claim('b', 2, true)), {
      owner: 'a',
      live: engines,
      demands: [demand({ used: 1, keep: 4 })],
    });
    expect(given.sheet.claims.get('x')).toEqual([claim('a', 1), claim('b', 2, true)]);
  });

  it('takes turns where it cannot be shared evenly', () => {
    const engines = live('a', 'b');
    const before = sheetOf(claim('a', 1, true), claim('b', 0, true));
    const one = demand({ most: 1, used: 1, hungry: true });
    const on = divide(before, { owner: 'a', live: engines, demands: [one] });
    expect(on.grants.get('x')).toMatchObject({ goal: 1, uneven: true });
    const over = divide(before, { owner: 'a', live: engines, demands: [{ ...one, yields: true }] });
    expect(over.grants.get('x')).toMatchObject({ held: 1, goal: 0, uneven: false });
    expect(over.sheet.claims.get('x')?.[0]?.owner).toBe('b');
  });

  it('forgets limits that nobody uses any more', () => {
    const asking = { owner: 'a', live: live('a', 'b'), demands: [] };
    expect(divide(sheetOf(claim('a', 3)), asking).sheet).toEqual(emptySheet);
  });

  it('never gives out more places than there are, and all of them to those who want them', () => {
    const step = fc.record({
      who: fc.nat(2),
      used: fc.nat(12),
      hungry: fc.boolean(),
      yields: fc.boolean(),
      dies: fc.constantFrom(false, false, false, false, true),
    });
    const property = fc.property(fc.integer({ min: 1, max: 9 }), fc.array(step), (most, steps) => {
      const living = live('0', '1', '2');
      const held = new Map<string, number>();
      let sheet = emptySheet;
      const ask = (owner: string, more: Partial<Demand>) => {
        const before = held.get(owner) ?? 0;
        const used = Math.min(more.used ?? 0, before);
        const asking = { owner, live: living, demands: [demand({ most, keep: before, ...more, used })] };
        const next = divide(sheet, asking);
        sheet = readSheet(sheetText(next.sheet));
        held.set(owner, next.grants.get('x')?.held ?? 0);
        const all = [...held].filter(([name]) => living.has(name)).reduce((sum, [, count]) => sum + count, 0);
        expect(all).toBeLessThanOrEqual(most);
      };
      for (const { who, dies, ...wish } of steps) {
        if (!living.has(`${who}`)) living.add(`${who}`);
        ask(`${who}`, wish);
        if (dies && living.size > 1) {
          living.delete(`${who}`);
          held.delete(`${who}`);
        }
      }
      for (let turn = 0; turn < 3; turn++) for (const owner of living) ask(owner, { hungry: true });
      const all = [...living].map((owner) => held.get(owner) ?? 0);
      expect(all.reduce((sum, count) => sum + count, 0)).toBe(most);
      expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(1);
    });
    fc.assert(property);
  });

  it('is read back as it was written, and what makes no sense is left out', () => {
    const sheet = {
      whole: 'a',
      claims: new Map([['__proto__', [claim('b', 1, true)]]]),
      buckets: new Map([['y', { tokens: 1.5, at: 7 }]]),
      at: 8,
    };
    for (const at of [8, null]) expect(readSheet(sheetText({ ...sheet, at }))).toEqual({ ...sheet, at });
    for (const text of ['7', '{}', '{"claims":[[7],8],"buckets":[["a",1]],"at":"8"}'])
      expect(readSheet(text)).toEqual(emptySheet);
    const odd = '{"claims":[["x",["a"],["a","b",true],["a",1,1],["a",2,true]]],"buckets":[[1],["a","b"]]}';
    expect(readSheet(odd)).toEqual(sheetOf(claim('a', 2, true)));
  });
});

describe('buckets of many keys', () => {
  const limit = { per_ms: 0.01, burst: 2 };

  it('are full until somebody takes from them, and forgotten when they are full again', () => {
    const want = (count: number) => new Map([['x', { count, here: 0, back: 0 }]]);
    const first = takenTokens(new Map(), { wants: want(3), limit, now: 0 });
    expect(first.taken.get('x')).toEqual({ taken: 2, bucket: { tokens: 0, at: 0 } });
    const second = takenTokens(first.buckets, { wants: want(1), limit, now: 100 });
    expect(second.taken.get('x')?.taken).toBe(1);
    expect(tidied(second.buckets, limit, 299).size).toBe(1);
    expect(tidied(second.buckets, limit, 300).size).toBe(0);
  });

  it('stay as they are where nothing can be taken, and take back what was not used, up to the burst', () => {
    const empty = new Map([['x', { tokens: 0.25, at: 0 }]]);
    const want = (count: number, here: number, back: number) => new Map([['x', { count, here, back }]]);
    const none = takenTokens(empty, { wants: want(1, 0, 0), limit, now: 50 });
    expect([none.buckets, none.taken.get('x')?.taken]).toEqual([empty, 0]);
    const back = takenTokens(empty, { wants: want(0, 0, 1), limit, now: 50 });
    expect([back.buckets.get('x'), back.taken.get('x')?.taken]).toEqual([{ tokens: 1.75, at: 50 }, 0]);
    const full = takenTokens(empty, { wants: want(0, 0, 9), limit, now: 50 });
    expect(full.buckets.get('x')?.tokens).toBe(2);
    const beside = takenTokens(new Map(), { wants: want(5, 1, 0), limit, now: 50 });
    expect(beside.taken.get('x')?.taken).toBe(1);
    expect(takenTokens(new Map(), { wants: want(5, 9, 0), limit, now: 50 }).taken.get('x')?.taken).toBe(0);
  });

  it('come to the same whether they are asked together or one after the other', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', '__proto__');
    const property = fc.property(
      fc.array(
        fc.tuple(names, fc.record({ tokens: fc.double({ min: 0, max: 2, noNaN: true }), at: fc.nat(200) })),
      ),
      fc.array(fc.tuple(names, fc.record({ count: fc.nat(3), here: fc.nat(2), back: fc.nat(2) }))),
      fc.nat(400),
      (stored, wanted, now) => {
        const wants = new Map(wanted);
        const together = takenTokens(new Map(stored), { wants, limit, now });
        let buckets: ReadonlyMap<string, Bucket> = new Map(stored);
        for (const [name, want] of wants) {
          const alone = takenTokens(buckets, { wants: new Map([[name, want]]), limit, now });
          expect(together.taken.get(name)).toEqual(alone.taken.get(name));
          buckets = alone.buckets;
        }
        expect(together.buckets).toEqual(buckets);
      },
    );
    fc.assert(property);
  });

  it('are taken of in a time that grows as their number does', () => {
    const of = (keys: number) => {
      const wants = new Map(
        Array.from({ length: keys }, (_, index) => [`k${index}`, { count: 1, here: 0, back: 0 }]),
      );
      let reads = 0;
      const stored = new (class extends Map<string, Bucket> {
        override *[Symbol.iterator](): MapIterator<[string, Bucket]> {
          for (const entry of super.entries()) {
            reads++;
            yield entry;
          }
        }
      })();
      for (const name of wants.keys()) stored.set(name, { tokens: 1, at: 0 });
      takenTokens(stored, { wants, limit, now: 0 });
      return reads;
    };
    expect(of(2000)).toBeLessThanOrEqual(2000);
  });

  it('are bounded in number; who has the least left is remembered', () => {
    const many = Array.from(
      { length: MOST_BUCKETS + 10 },
      (_, index): [string, { tokens: number; at: number }] => [`k${index}`, { tokens: index % 2, at: 0 }],
    );
    const kept = tidied(new Map(many), limit, 0);
    expect(kept.size).toBe(MOST_BUCKETS);
    expect([...kept.values()].filter(({ tokens }) => tokens === 0)).toHaveLength(MOST_BUCKETS / 2 + 5);
  });
});
