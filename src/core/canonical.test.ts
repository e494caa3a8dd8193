import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { isObject, type Json } from './json.ts';

const json = () => fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

/** The same value with the members of every object in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, item]): [string, Json] => [key, reversed(item)]);
  return Object.fromEntries(members.reverse());
}

describe('canonicalJson', () => {
  it('writes members in the order of their names, at every depth', () => {
    expect(canonicalJson({ b: 1, a: { d: [2, { z: 1, y: 2 }], c: null } })).toBe(
      '{"a":{"c":null,"d":[2,{"y":2,"z":1}]},"b":1}',
    );
  });

  it('keeps the order of lists', () => {
    expect(canonicalJson([3, 1, 2])).toBe('[3,1,2]');
    expect(canonicalJson([])).toBe('[]');
    expect(canonicalJson({})).toBe('{}');
  });

  it('writes the rest as JSON does', () => {
    expect(['a"b\n', 1.5, -0, true, null].map((value) => canonicalJson(value))).toEqual([
      '"a\\"b\\n"',
      '1.5',
      '0',
      'true',
      'null',
    ]);
    expect(canonicalJson({ 'k"': 1 })).toBe('{"k\\"":1}');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2}') as Json)).toBe('{"__proto__":2,"b":1}');
  });

  it('is the same for the same value, however it is written', () => {
    fc.assert(fc.property(json(), (value) => canonicalJson(reversed(value)) === canonicalJson(value)));
  });

  it('is JSON that says the same', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('tells different values apart', () => {
    fc.assert(
      fc.property(json(), json(), (one, other) => {
        const same = JSON.stringify(reversed(reversed(one))) === JSON.stringify(reversed(reversed(other)));
        if (canonicalJson(one) === canonicalJson(other)) {
          expect(JSON.parse(JSON.stringify(one))).toEqual(JSON.parse(JSON.stringify(other)));
        } else expect(same).toBe(false);
      }),
    );
  });
});
