import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJson } from './json-safe.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from './limits.ts';
import { thrownBy } from './thrown.suite.ts';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { k: value };
  return value;
}

const read = (value: unknown) => toJson(value, 'GLZ1001', '/params');
const refusal = (value: unknown) => thrownBy(() => read(value));

describe('JSON from a caller', () => {
  it('is handed back as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        expect(read(value)).toBe(value);
      }),
    );
    const bare: object = Object.assign(Object.create(null), { a: 1 });
    expect(read(bare)).toBe(bare);
    const foreign: object = Object.assign(Object.create(Object.create(null)), { a: 1 });
    expect(read(foreign)).toBe(foreign);
  });

  it('leaves out keys that are undefined, as JSON text does', () => {
    const value = { a: 1, b: undefined, c: [{ d: undefined, e: 'x' }, 2, [3]] };
    expect(read(value)).toStrictEqual({ a: 1, c: [{ e: 'x' }, 2, [3]] });
    expect(value).toHaveProperty('b');
    const untouched = [{ x: 1 }];
    expect(read({ untouched, gone: undefined })).toHaveProperty('untouched', untouched);
  });

  it('comes out as JSON text would bring it back', () => {
    const leaf = fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.integer(), fc.constant(undefined));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf.filter((x) => x !== undefined),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('tree'), { maxLength: 4 }),
      object: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.oneof(leaf, tie('tree')), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(read(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    [Number.NaN, '', 'NaN cannot be written as JSON'],
    [{ a: [0, Number.POSITIVE_INFINITY] }, '/a/1', 'Infinity cannot be written as JSON'],
    [{ f: () => 1 }, '/f', 'a function cannot be written as JSON'],
    [{ s: Symbol('s') }, '/s', 'a symbol cannot be written as JSON'],
    [{ b: 1n }, '/b', 'a bigint cannot be written as JSON'],
    [[undefined], '/0', 'undefined cannot be written as JSON'],
    [undefined, '', 'undefined cannot be written as JSON'],
    [{ d: new Date(0) }, '/d', 'an instance of Date cannot be written as JSON'],
    [{ m: new Map() }, '/m', 'an instance of Map cannot be written as JSON'],
    [{ x: new (class {})() }, '/x', 'an instance of a class cannot be written as JSON'],
    [{ x: Object.create({ constructor: 1 }) }, '/x', 'an instance of a class cannot be written as JSON'],
    [{ 'a/b': [JSON.parse('{"__proto__":1}')] }, '/a~1b/0/__proto__', '"__proto__" cannot be a key'],
  ])('refuses %o', (value, pointer, reason) => {
    const error = refusal(value);
    expect(error.code).toBe('GLZ1001');
    expect(error.details).toEqual({ field: `/params${pointer}`, reason });
    expect(error.message).toBe(`/params${pointer}: ${reason}`);
  });

  it('speaks of the value where it has no place', () => {
    expect(thrownBy(() => toJson(Number.NaN, 'GLZ1008', '')).message).toBe(
      'the value: NaN cannot be written as JSON',
    );
    expect(thrownBy(() => toJson('x'.repeat(MAX_PAYLOAD), 'GLZ1008', '')).message).toMatch(
      /^the value has more/,
    );
  });

  it('goes down as far as the limit', () => {
    expect(() => read(nested(MAX_JSON_DEPTH))).not.toThrow();
    const error = refusal(nested(MAX_JSON_DEPTH + 1));
    expect(error.details.field).toBe('/params');
    expect(error.details.reason).toBe('nested deeper than 128 levels, or part of itself');
  });

  it('refuses what is part of itself', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = [loop, loop];
    expect(refusal(loop).code).toBe('GLZ1001');
  });

  it('names the place down to a depth one can read', () => {
    const at = (depth: number) => {
      let value: unknown = Number.NaN;
      for (let i = 0; i < depth; i++) value = [value];
      return refusal(value).details.field;
    };
    expect(at(32)).toBe(`/params${'/0'.repeat(32)}`);
    expect(at(33)).toBe('/params');
  });

  it('stops what would not fit, before it is serialised', () => {
    expect(() => read('x'.repeat(MAX_PAYLOAD - 2))).not.toThrow();
    const error = refusal('x'.repeat(MAX_PAYLOAD - 1));
    expect(error.code).toBe('GLZ1007');
    expect(error.message).toBe(`/params has more than ${MAX_PAYLOAD} characters of JSON`);
    expect(error.details).toEqual({
      field: '/params',
      reason: `has more than ${MAX_PAYLOAD} characters of JSON`,
      hint: 'keep the data elsewhere and pass a reference to it',
    });
  });

  it('counts keys, numbers, words and brackets too', () => {
    const half = 'x'.repeat(MAX_PAYLOAD / 2);
    expect(refusal({ [half]: half }).code).toBe('GLZ1007');
    const rest = (n: number) => ['x'.repeat(MAX_PAYLOAD - 4 - n)];
    expect(() => read(rest(0))).not.toThrow();
    expect(refusal([...rest(0), 1]).code).toBe('GLZ1007');
    expect(() => read([...rest(1), 1])).not.toThrow();
    expect(refusal([...rest(3), null]).code).toBe('GLZ1007');
    expect(() => read([...rest(4), true])).not.toThrow();
    expect(refusal([...rest(1), []]).code).toBe('GLZ1007');
    expect(() => read([...rest(2), {}])).not.toThrow();
    expect(refusal([...rest(1), {}]).code).toBe('GLZ1007');
    expect(refusal([...rest(7), { k: 1 }]).code).toBe('GLZ1007');
    expect(() => read([...rest(8), { k: 1 }])).not.toThrow();
  });

  it('ends soon when the same object stands in many places', () => {
    let shared: unknown = 'x';
    for (let i = 0; i < 40; i++) shared = [shared, shared];
    expect(refusal(shared).code).toBe('GLZ1007');
  });
});
