import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, jsonDepth, kindOf, own } from './json.ts';

describe('isObject', () => {
  it.each([{}, { a: 1 }, Object.create(null)])('%o is one', (value) => expect(isObject(value)).toBe(true));
  it.each([null, undefined, [], 'text', 1, true, () => 1])('%o is none', (value) =>
    expect(isObject(value)).toBe(false),
  );
});

describe('own', () => {
  it('finds what the value has itself', () => {
    expect(own({ a: 1 }, 'a')).toBe(1);
    expect(own(JSON.parse('{"__proto__": 2}'), '__proto__')).toBe(2);
    expect(own(['x'], '0')).toBe('x');
    expect(own({ a: undefined }, 'a')).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'toString', 'b'])('does not reach %s', (key) =>
    expect(own({ a: 1 }, key)).toBeUndefined(),
  );
});

describe('kindOf', () => {
  it.each([
    [null, 'null'],
    [[], 'array'],
    [{}, 'object'],
    ['', 'string'],
    [0, 'number'],
    [false, 'boolean'],
    [undefined, 'undefined'],
  ])('%o is %s', (value, kind) => expect(kindOf(value)).toBe(kind));
});

describe('jsonDepth', () => {
  it.each([
    ['1', 0],
    ['[]', 1],
    ['{}', 1],
    ['[[],[[]]]', 3],
    ['{"a":{"b":[]}}', 3],
    ['"[[["', 0],
    ['["]","[[",[]]', 2],
    ['["\\"[[["]', 1],
    ['["\\\\",[]]', 2],
    ['{"a":"}","b":{}}', 2],
    ['["never ends [[[', 1],
    ['["ends in a stroke \\', 1],
  ])('of %s is %i', (text, depth) => expect(jsonDepth(text, 100)).toBe(depth));

  it('stops one past the limit', () => {
    expect(jsonDepth('[[[[[[', 3)).toBe(4);
    expect(jsonDepth('[[[]]]', 3)).toBe(3);
    expect(jsonDepth('[[[]]][[[[[', 0)).toBe(1);
  });

  it('is found in a text no one could walk', () => {
    expect(jsonDepth('['.repeat(1_000_000), 128)).toBe(129);
  });

  it('agrees with walking the value', () => {
    const walk = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(walk)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        expect(jsonDepth(JSON.stringify(value, null, indent), 1000)).toBe(walk(value));
      }),
      { numRuns: 500 },
    );
  });
});
