import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnOrder } from './turn-order.ts';

function orderOf(keys: readonly string[], most?: number): TurnOrder {
  const order = new TurnOrder(most);
  for (const key of keys) order.join(key);
  return order;
}

describe('whose turn it is', () => {
  it('is theirs in the order in which they came at first, and in that of their turns from then on', () => {
    const order = orderOf(['a', 'b', 'c', 'a']);
    expect([order.next(), order.next(), order.next(), order.next()]).toEqual(['a', 'b', 'c', null]);
    for (const key of ['c', 'b', 'a']) order.join(key);
    expect([order.next(), order.next(), order.next(), order.next()]).toEqual(['a', 'b', 'c', null]);
  });

  it('is not lost by whoever is away for a while, nor won by whoever is back at once', () => {
    const order = orderOf(['slow', 'quick', 'other']);
    expect(order.next()).toBe('slow');
    expect(order.next()).toBe('quick');
    order.join('quick');
    order.join('slow');
    expect([order.next(), order.next(), order.next()]).toEqual(['other', 'slow', 'quick']);
  });

  it('comes after that of all who are there for somebody new', () => {
    const order = orderOf(['a', 'b']);
    order.next();
    order.join('a');
    order.join('new');
    expect([order.next(), order.next(), order.next()]).toEqual(['b', 'a', 'new']);
  });

  it('is not that of somebody who has left, and is again when he is back', () => {
    const order = orderOf(['a', 'b']);
    order.leave('a');
    expect(order.next()).toBe('b');
    order.join('a');
    order.leave('a');
    order.join('b');
    order.leave('b');
    order.join('b');
    expect([order.next(), order.next()]).toEqual(['b', null]);
  });

  it('is remembered of so many', () => {
    const order = orderOf(['a', 'b', 'c'], 2);
    for (let turn = 0; turn < 3; turn++) order.next();
    for (const key of ['a', 'c', 'b']) order.join(key);
    expect([order.next(), order.next(), order.next()]).toEqual(['b', 'c', 'a']);
  });

  it('comes to each of those who are always there as often as to any other', () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const backAfter = fc.array(fc.nat(3), { minLength: 200, maxLength: 200 });
    fc.assert(
      fc.property(backAfter, (lags) => {
        const order = orderOf([...keys, 'f', 'g', 'h', 'i']);
        const turns = new Map<string, number>();
        let away: { key: string; left: number }[] = [];
        for (const left of lags) {
          const key = order.next();
          if (key === null) throw new Error('somebody is there');
          turns.set(key, (turns.get(key) ?? 0) + 1);
          away.push({ key, left });
          for (const one of away) if (one.left-- === 0) order.join(one.key);
          away = away.filter((one) => one.left >= 0);
        }
        const counts = [...turns.values()];
        expect(turns.size).toBe(9);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
