import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Handed, Watermark } from './watermark.ts';

describe('how far a partition is done', () => {
  it('stands where the first is that is not done, whatever ended after it', () => {
    const mark = new Watermark(7);
    const [first, second, third] = [mark.hand(7), mark.hand(8), mark.hand(12)];
    mark.done(third);
    mark.done(second);
    expect({ next: mark.next, open: mark.open, ahead: mark.ahead }).toEqual({ next: 7, open: 1, ahead: 3 });
    mark.done(first);
    expect({ next: mark.next, open: mark.open, ahead: mark.ahead }).toEqual({ next: 13, open: 0, ahead: 0 });
  });

  it('counts an end once', () => {
    const mark = new Watermark(0);
    const handed = mark.hand(0);
    mark.hand(1);
    expect([mark.done(handed), mark.done(handed)]).toEqual([true, false]);
    expect(mark.open).toBe(1);
  });

  it('never passes what is open, in any order and over any number', () => {
    const steps = fc.array(fc.nat(5000), { minLength: 1, maxLength: 6000 });
    fc.assert(
      fc.property(steps, (order) => {
        const mark = new Watermark(0);
        const open = new Map<number, Handed>();
        for (const [offset, choice] of order.entries()) {
          open.set(offset, mark.hand(offset));
          const ended = [...open.keys()][choice % Math.max(1, Math.min(open.size * 2, 64))];
          const handed = ended === undefined ? undefined : open.get(ended);
          if (handed === undefined) continue;
          mark.done(handed);
          open.delete(handed.offset);
        }
        expect(mark.open).toBe(open.size);
        expect(mark.next).toBe(Math.min(order.length, ...open.keys()));
        for (const handed of open.values()) mark.done(handed);
        expect([mark.next, mark.open, mark.ahead]).toEqual([order.length, 0, 0]);
      }),
      { numRuns: 20 },
    );
  });
});
