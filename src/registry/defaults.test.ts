import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { fillerOf } from './defaults.ts';

const fill = (schema: JsonSchema, value: Json) => fillerOf(schema)?.(value);
const preset = (value: Json, more: JsonObject = {}) => ({ ...more, default: value });

describe('defaults', () => {
  it.each<[JsonSchema, Json, Json]>([
    [{ properties: { a: preset(1), b: preset(null) } }, {}, { a: 1, b: null }],
    [{ properties: { a: preset(1) } }, { a: 2 }, { a: 2 }],
    [{ properties: { a: preset(1) } }, { a: null }, { a: null }],
    [{ properties: { a: preset(1) } }, [], []],
    [{ properties: { a: preset(1) } }, 'x', 'x'],
    [{ properties: { o: { properties: { a: preset(1) } } } }, { o: {} }, { o: { a: 1 } }],
    [{ properties: { o: { properties: { a: preset(1) } } } }, {}, {}],
    [{ properties: { o: preset({}, { properties: { a: preset(1) } }) } }, {}, { o: { a: 1 } }],
    [{ properties: { o: preset({ b: 2 }, { properties: { a: preset(1) } }) } }, {}, { o: { a: 1, b: 2 } }],
    [{ items: { properties: { a: preset(1) } } }, [{}, { a: 2 }, 3], [{ a: 1 }, { a: 2 }, 3]],
    [{ items: { properties: { a: preset(1) } } }, { a: 3 }, { a: 3 }],
    [
      { allOf: [{ properties: { a: preset(1) } }, true, { properties: { b: preset(2) } }] },
      {},
      { a: 1, b: 2 },
    ],
    [{ $ref: '#/$defs/x', $defs: { x: { properties: { a: preset(1) } } } }, {}, { a: 1 }],
    [{ properties: { toString: preset('x') } }, {}, { toString: 'x' }],
  ])('of %j for %j', (schema, value, filled) => {
    const before = JSON.stringify(value);
    expect(fill(schema, value)).toEqual(filled);
    expect(JSON.stringify(value)).toBe(before);
  });

  it.each<[JsonSchema]>([
    [true],
    [{}],
    [{ default: {} }],
    [{ properties: { a: { type: 'string' }, b: true } }],
    [{ items: { type: 'string' } }],
    [{ items: true }],
    [{ anyOf: [{ properties: { a: preset(1) } }] }],
    [{ not: { properties: { a: preset(1) } } }],
    [{ allOf: [{}, 3] }],
    [{ $ref: 'https://example.com/' }],
  ])('of %j there are none', (schema) => {
    expect(fillerOf(schema)).toBeUndefined();
  });

  it('of a tree reach all its branches, and end', () => {
    const tree = { properties: { v: preset(1), next: { $ref: '#' }, list: { items: { $ref: '#' } } } };
    expect(fill(tree, { next: { next: {} }, list: [{}] })).toEqual({
      v: 1,
      next: { v: 1, next: { v: 1 } },
      list: [{ v: 1 }],
    });
    const endless = { properties: { next: preset({}, { $ref: '#' }) } };
    expect(fill(endless, {})).toEqual({ next: {} });
    const looped: JsonSchema = {
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { properties: { a: preset({}, { $ref: '#/$defs/a' }) } } },
    };
    expect(fill(looped, { a: {} })).toEqual({ a: { a: {} } });
  });

  it('copy nothing where there is nothing to add', () => {
    const schema = { properties: { a: preset(1), list: { items: { properties: { b: preset(1) } } } } };
    const value = { a: 2, list: [{ b: 2 }] };
    expect(fill(schema, value)).toBe(value);
    const partly = { a: 2, list: [{ b: 2 }, {}] };
    expect(fill(schema, partly)).toEqual({ a: 2, list: [{ b: 2 }, { b: 1 }] });
    expect((fill(schema, partly) as typeof partly).list[0]).toBe(partly.list[0]);
  });

  it('added once change nothing a second time', () => {
    const schema = { properties: { a: preset(1), o: preset({}, { properties: { b: preset([]) } }) } };
    const values = fc.dictionary(fc.constantFrom('a', 'o', 'x'), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(values, (drawn) => {
        const value = drawn as JsonObject;
        const filled = fill(schema, value) as JsonObject;
        expect(fill(schema, filled)).toBe(filled);
        expect(filled).toMatchObject(value);
      }),
    );
  });
});
