import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { paramsSchema, resultSchema } from './protocol-schema.ts';

const text = { type: 'string' };
const signature = (properties: object, required: string[] = [], additionalProperties: unknown = false) => ({
  type: 'object',
  properties,
  additionalProperties,
  ...(required.length === 0 ? {} : { required }),
});

describe('the shorthand for params', () => {
  it.each<[JsonSchema, object]>([
    [{ q: text }, signature({ q: text })],
    [
      { q: { ...text, required: true }, n: { type: 'integer', required: false } },
      signature({ q: text, n: { type: 'integer' } }, ['q']),
    ],
    [{ q: true }, signature({ q: true })],
    [{ q: {} }, signature({ q: {} })],
    [{ type: text }, signature({ type: text })],
    [{ items: text }, signature({ items: text })],
    [
      { description: text, title: text, default: {} },
      signature({ description: text, title: text, default: {} }),
    ],
    [{ properties: { type: 'object' } }, signature({ properties: { type: 'object' } })],
    [{ additionalProperties: text }, signature({ additionalProperties: text })],
    [
      { required: { type: 'boolean', required: true } },
      signature({ required: { type: 'boolean' } }, ['required']),
    ],
    [{ q: text, '*': true }, signature({ q: text }, [], true)],
    [{ q: text, '*': text }, signature({ q: text }, [], text)],
    [
      { o: { type: 'object', properties: { x: { required: true } } } },
      signature({ o: { type: 'object', properties: { x: {} }, required: ['x'] } }),
    ],
    [
      { l: { type: 'array', items: { properties: { x: { required: true } } } } },
      signature({ l: { type: 'array', items: { properties: { x: {} }, required: ['x'] } } }),
    ],
  ])('%j lists properties', (written, schema) => {
    expect(paramsSchema(written)).toStrictEqual(schema);
  });

  it.each<[JsonSchema]>([
    [true],
    [false],
    [{}],
    [{ type: 'object' }],
    [{ type: ['object'] }],
    [{ properties: {} }],
    [{ properties: { q: text, any: true } }],
    [{ required: ['q'] }],
    [{ anyOf: [text] }],
    [{ $ref: '#/$defs/x' }],
    [{ $defs: {} }],
    [{ $defs: {}, q: text }],
    [{ additionalProperties: false }],
    [{ description: 'text' }],
    [{ type: 'object', q: text }],
    [{ type: 'object', required: 3 }],
  ])('%j is JSON Schema already', (written) => {
    expect(paramsSchema(written)).toStrictEqual(written);
    expect(resultSchema(written)).toStrictEqual(written);
  });
});

describe('the shorthand for results', () => {
  it('stays open', () => {
    expect(resultSchema({ count: { type: 'integer', required: true } })).toStrictEqual({
      type: 'object',
      properties: { count: { type: 'integer' } },
      required: ['count'],
    });
    expect(resultSchema({ count: text, '*': true })).toStrictEqual(signature({ count: text }, [], true));
    expect(resultSchema({ count: text, '*': false })).toStrictEqual(signature({ count: text }, [], false));
  });
});

describe('required on a property', () => {
  it('joins the list of its object', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { required: true }, b: text, c: { required: true } },
    };
    expect(paramsSchema(schema)).toStrictEqual({
      type: 'object',
      properties: { a: {}, b: text, c: {} },
      required: ['a', 'b', 'c'],
    });
  });

  it('is found wherever a schema can stand', () => {
    const inner = { properties: { x: { required: true } } };
    const lifted = { properties: { x: {} }, required: ['x'] };
    const single = [
      'items additionalProperties unevaluatedProperties unevaluatedItems contains propertyNames',
      'not if then else',
    ].flatMap((line) => line.split(' '));
    const around = (schema: object) => ({
      type: 'object',
      properties: { p: schema },
      patternProperties: { '^a': schema },
      $defs: { d: schema },
      definitions: { d: schema },
      dependentSchemas: { d: schema },
      allOf: [schema, true],
      anyOf: [schema],
      oneOf: [schema],
      prefixItems: [schema],
      ...Object.fromEntries(single.map((key) => [key, schema])),
    });
    expect(paramsSchema(around(inner) as JsonSchema)).toStrictEqual(around(lifted));
    expect(paramsSchema({ type: 'array', items: [inner, false] })).toStrictEqual({
      type: 'array',
      items: [lifted, false],
    });
    const data = { type: 'object', default: inner, enum: [inner], const: inner, examples: [inner] };
    expect(paramsSchema(data)).toStrictEqual(data);
  });

  it('leaves nothing that JSON Schema would refuse, and changes nothing else', () => {
    const property = fc.record(
      { type: fc.constantFrom('string', 'integer'), required: fc.boolean() },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), property, { minKeys: 1 }), (written) => {
        const schema = paramsSchema(written) as { properties: Record<string, object>; required?: string[] };
        const required = Object.keys(written).filter((key) => written[key]?.required === true);
        expect(schema.required ?? []).toEqual(required);
        expect(Object.keys(schema.properties)).toEqual(Object.keys(written));
        for (const inner of Object.values(schema.properties)) expect(inner).not.toHaveProperty('required');
      }),
    );
  });
});
