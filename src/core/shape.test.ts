import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeOf } from './shape.ts';

describe('the shape of a value', () => {
  it('tells kinds and lengths', () => {
    expect(shapeOf({ query: 'hunter2', limit: 5, deep: { a: null, b: true }, tags: ['x', 'y'] })).toEqual({
      query: 'string(7)',
      limit: 'number',
      deep: { a: 'null', b: 'boolean' },
      tags: ['string(1)', '… 1 more'],
    });
    expect(shapeOf([])).toBe('array(0)');
    expect(shapeOf([1])).toEqual(['number']);
    expect(shapeOf(undefined)).toBe('undefined');
  });

  it('ends where the value goes on', () => {
    expect(shapeOf({ a: { b: { c: { d: { e: 1 }, l: [1, 2] } } } })).toEqual({
      a: { b: { c: { d: 'object(1)', l: 'array(2)' } } },
    });
    expect(shapeOf({ a: { b: { c: { d: { e: 1 } } } } }, 5)).toEqual({
      a: { b: { c: { d: { e: 'number' } } } },
    });
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`key${n}`, n]));
    const shape = shapeOf(wide) as object;
    expect(Object.keys(shape)).toHaveLength(33);
    expect(shape).toMatchObject({ '…': '8 more' });
    expect(shapeOf({ ['k'.repeat(100)]: 1 })).toEqual({ ['k'.repeat(64)]: 'number' });
  });

  it('never shows a text or a number of the value, and stays small', () => {
    const secret = '5ecre7-';
    const strings = fc.string().map((text) => secret + text);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), strings, (value, hidden) => {
        const text = JSON.stringify(shapeOf({ list: [hidden, value], hidden }));
        expect(text).not.toContain(secret);
        expect(text.length).toBeLessThan(1_000_000);
      }),
    );
  });
});
