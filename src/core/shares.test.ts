import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareOf } from './shares.ts';

/** Takes one after another as long as they may, in the order in which they ask. */
class Shared {
  readonly size: number;
  readonly held: number[];

  constructor(size: number, many: number) {
    this.size = size;
    this.held = Array.from({ length: many }, () => 0);
  }

  get free(): number {
    return this.size - this.held.reduce((sum, count) => sum + count, 0);
  }

  of(who: number): number {
    return this.held[who] ?? 0;
  }

  share(who: number): number {
    const others = this.held.filter((_, other) => other !== who);
    const idle = others.filter((count) => count === 0).length;
    const { size, free } = this;
    return shareOf(this.of(who), { size, free, idle, others: others.length });
  }

  change(who: number, by: number): void {
    this.held[who] = this.of(who) + by;
  }

  fill(who: number): number {
    while (this.share(who) > 0) this.change(who, 1);
    return this.of(who);
  }
}

const size = fc.integer({ min: 1, max: 800 });
const asks = fc.array(
  fc.record({ who: fc.nat(99), leaves: fc.boolean(), many: fc.integer({ min: 1, max: 90 }) }),
  {
    maxLength: 200,
  },
);

describe('a share of places', () => {
  it('is all of them for one alone', () => {
    fc.assert(
      fc.property(size, (all) => {
        expect(new Shared(all, 1).fill(0)).toBe(all);
      }),
    );
  });

  it('is seven of eight, and as much of what is left for the next', () => {
    const shared = new Shared(256, 3);
    expect([shared.fill(0), shared.fill(1), shared.fill(2)]).toEqual([223, 28, 5]);
    expect(new Shared(8, 2).fill(0)).toBe(7);
  });

  it('keeps nothing back of very few', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), (few) => {
        expect(new Shared(few, 9).fill(0)).toBe(few);
      }),
    );
  });

  it('is never nothing for who holds none, whatever the others do', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 800 }), fc.nat(), asks, (all, drawn, asked) => {
        const many = 2 + (drawn % Math.floor(all / 8));
        const shared = new Shared(all, many);
        for (const { who, leaves, many: wanted } of asked) {
          const one = who % many;
          shared.change(
            one,
            leaves ? -Math.min(shared.of(one), wanted) : Math.min(shared.share(one), wanted),
          );
          expect(shared.free).toBeGreaterThanOrEqual(0);
          for (const [other, held] of shared.held.entries())
            if (held === 0) expect(shared.share(other)).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('leaves nothing unused for good: all but one of eight, and what is kept, goes to who asks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 800 }), fc.integer({ min: 2, max: 60 }), (all, many) => {
        const kept = Math.min(many - 1, Math.floor(all / 8));
        expect(new Shared(all, many).fill(0)).toBeGreaterThanOrEqual(Math.floor(((all - kept) * 7) / 8));
      }),
    );
  });

  it('is the same taken at once or one by one', () => {
    fc.assert(
      fc.property(size, fc.integer({ min: 2, max: 40 }), asks, (all, many, asked) => {
        const shared = new Shared(all, many);
        for (const { who, many: wanted } of asked)
          shared.change(who % many, Math.min(shared.share(who % many), wanted));
        const share = shared.share(0);
        const before = shared.of(0);
        expect(shared.fill(0) - before).toBe(share);
      }),
    );
  });
});
