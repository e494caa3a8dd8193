import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptiedLanes, mostOf, takenOf } from './claim-bounds.ts';

const LANES = ['a', 'b', '__proto__'];
const lanes = fc.array(fc.constantFrom(...LANES), { maxLength: 30 });
const limit = fc.nat(20);
const bounds = fc
  .dictionary(fc.constantFrom(...LANES), fc.nat(8))
  .map((most) => new Map(Object.entries(most)));
const same = (lane: string) => lane;

describe('a claim with bounds', () => {
  it('takes so many of a lane, and goes on with those behind them', () => {
    const claim = { limit: 4, most: new Map([['a', 1]]) };
    expect(takenOf(['a', 'a', 'b', 'a', 'b'], claim, same)).toEqual(['a', 'b', 'b']);
    expect(takenOf(['a', 'a', 'b'], { limit: 2 }, same)).toEqual(['a', 'a']);
    expect(takenOf(['a', 'b'], { limit: 2, most: new Map([['a', 0]]) }, same)).toEqual(['b']);
  });

  it('never takes too many, and leaves nothing that it could have taken', () => {
    fc.assert(
      fc.property(lanes, limit, bounds, (inOrder, most, laneBounds) => {
        const claim = { limit: most, most: laneBounds, lanes: LANES };
        const tasks = inOrder.map((lane, at) => ({ lane, at }));
        const taken = takenOf(tasks, claim, ({ lane }) => lane);
        const of = (list: readonly { lane: string }[], lane: string) =>
          list.filter((one) => one.lane === lane).length;
        expect(taken.length).toBeLessThanOrEqual(claim.limit);
        expect([...taken].sort((a, b) => a.at - b.at)).toEqual(taken);
        for (const lane of LANES) {
          expect(of(taken, lane)).toBeLessThanOrEqual(mostOf(claim, lane));
          if (taken.length < claim.limit)
            expect(of(taken, lane)).toBe(Math.min(of(tasks, lane), mostOf(claim, lane)));
        }
      }),
    );
  });

  it('says of a lane that it is empty only if it is', () => {
    fc.assert(
      fc.property(lanes, limit, fc.option(bounds, { nil: undefined }), (inOrder, most, laneBounds) => {
        const claim = {
          limit: most,
          lanes: LANES,
          ...(laneBounds === undefined ? {} : { most: laneBounds }),
        };
        const taken = takenOf(inOrder, claim, same);
        for (const lane of emptiedLanes(claim, taken)) {
          const count = (list: readonly string[]) => list.filter((one) => one === lane).length;
          expect(count(taken)).toBe(count(inOrder));
        }
      }),
    );
  });

  it('knows the lanes that are empty', () => {
    const claim = { limit: 4, lanes: ['a', 'b'], most: new Map([['a', 1]]) };
    expect(emptiedLanes(claim, ['a', 'b'])).toEqual(['b']);
    expect(emptiedLanes(claim, ['b'])).toEqual(['a', 'b']);
    expect(emptiedLanes(claim, ['a', 'b', 'b', 'b'])).toEqual([]);
    expect(emptiedLanes({ limit: 4, lanes: ['a'] }, ['a'])).toEqual(['a']);
  });
});
