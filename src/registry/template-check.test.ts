import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { judge, search } from './judge.suite.ts';

describe('params that still hold references', () => {
  const nested = {
    type: 'object',
    properties: {
      n: { type: 'integer', maximum: 5 },
      o: {
        type: 'object',
        properties: { k: { type: 'string' }, n: { type: 'integer' } },
        required: ['k'],
        additionalProperties: false,
      },
      l: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
      m: { type: 'object', additionalProperties: { type: 'integer' } },
      either: {
        anyOf: [
          { type: 'object', required: ['a'] },
          { type: 'string', minLength: 3 },
        ],
      },
      all: {
        allOf: [
          { required: ['a'] },
          { properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
          true,
        ],
      },
      ref: { $ref: '#/$defs/node' },
      p: { type: 'object', patternProperties: { '^x': { type: 'integer' } }, additionalProperties: false },
      none: false,
      free: true,
    },
    required: ['n'],
    $defs: {
      node: {
        type: 'object',
        properties: { v: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
        required: ['v'],
      },
    },
  };
  const r = '${a.result.x}';
  const { check, refusal } = judge(nested);

  it.each<[JsonObject]>([
    [{ n: r }],
    [{ n: `text ${r}` }],
    [{ n: 1, o: r }],
    [{ n: 1, o: { k: r } }],
    [{ n: 1, o: { k: 'x', n: r } }],
    [{ n: 1, l: [r, 1, r] }],
    [{ n: 1, l: ['x', 1, r] }],
    [{ n: 1, m: { x: 1, y: r } }],
    [{ n: 1, either: { b: r } }],
    [{ n: 1, either: r }],
    [{ n: 1, all: { a: 1, b: r } }],
    [{ n: 1, ref: { v: 1, next: { v: r } } }],
    [{ n: 1, p: { z: r } }],
    [{ n: 1, free: { x: [r] } }],
    [{ n: 1, unknown: { x: r } }],
    [{ n: '$${literal}' }],
  ])('%j may become right', (params) => {
    expect(check(params, 'template')).toEqual(params);
  });

  it.each<[JsonObject, string, string]>([
    [{ o: { k: r } }, '/n', 'is missing'],
    [{ n: 9, o: { k: r } }, '/n', 'must be <= 5, found 9'],
    [{ n: 'x', o: r }, '/n', 'must be integer, not "x"'],
    [{ n: [r] }, '/n', 'must be integer, not an array of 1'],
    [{ n: 1, o: { n: r } }, '/o/k', 'is missing'],
    [{ n: 1, o: { k: r, z: 1 } }, '/o/z', 'unknown key "z"'],
    [{ n: 1, o: { k: r, n: 'x' } }, '/o/n', 'must be integer, not "x"'],
    [{ n: 1, o: [r] }, '/o', 'must be object, not an array of 1'],
    [{ n: 1, l: { x: r } }, '/l', 'must be array, not an object'],
    [{ n: 1, l: [r, 'x'] }, '/l/1', 'must be integer, not "x"'],
    [{ n: 1, l: [1, r] }, '/l/0', 'must be string, not 1'],
    [{ n: 1, m: { x: 'x', y: r } }, '/m/x', 'must be integer, not "x"'],
    [{ n: 1, all: { b: r } }, '/all/a', 'is missing'],
    [{ n: 1, all: { a: 'x', b: r } }, '/all/a', 'must be integer, not "x"'],
    [{ n: 1, ref: { next: { v: r } } }, '/ref/v', 'is missing'],
    [{ n: 1, ref: { v: 1, next: { next: { v: r } } } }, '/ref/next/v', 'is missing'],
    [{ n: r, either: 'x' }, '/either', 'fits none of the allowed forms'],
    [{ n: r, none: 1 }, '/none', 'boolean schema is false, found 1'],
  ])('%j cannot', (params, field, reason) => {
    const error = refusal(params, 'template');
    expect(error.code).toBe('GLZ1005');
    expect(error.details.field).toBe(`/params${field}`);
    expect(error.details.reason).toContain(reason);
  });

  it('get their defaults and are judged in full when they are final', () => {
    const one = judge(search);
    expect(one.check({ query: r }, 'template')).toEqual({ query: r, max_results: 10 });
    expect(one.refusal({ query: 'x', max_results: r }, 'final').details.field).toBe('/params/max_results');
    expect(one.check({ query: 'x', max_results: r }, 'template')).toEqual({ query: 'x', max_results: r });
    expect(one.refusal({ qery: r }, 'template').details.hint).toBe('did you mean it by "qery"?');
    expect(one.refusal({ query: r, max_result: 1 }, 'template').details.hint).toBe(
      'did you mean "max_results"?',
    );
  });

  it('without references are judged as final ones', () => {
    const leaf = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('x', 'abc', null, true));
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('k', 'n', 'a', 'v'), leaf),
    );
    const keys = fc.constantFrom('n', 'o', 'l', 'm', 'either', 'all', 'ref', 'p');
    const outcome = (params: JsonObject, stage: 'template' | 'final') => {
      try {
        return check(params, stage);
      } catch (thrown) {
        return GleitzeitError.from(thrown).message;
      }
    };
    fc.assert(
      fc.property(fc.dictionary(keys, value), (params) => {
        expect(outcome(params, 'template')).toEqual(outcome(params, 'final'));
      }),
    );
  });

  it('are never refused for what a reference can still make right', () => {
    const good: JsonObject = {
      n: 1,
      o: { k: 'x', n: 2 },
      l: ['x', 1, 2],
      m: { a: 1 },
      either: 'long',
      all: { a: 1 },
      ref: { v: 1, next: { v: 2 } },
      p: { x1: 1 },
    };
    expect(check(good)).toBe(good);
    const hole = (value: Json, holes: Iterator<boolean>): Json => {
      if (holes.next().value === true) return r;
      if (Array.isArray(value)) return value.map((item) => hole(item, holes));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hole(item, holes)]));
    };
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }), (drawn) => {
        const params = hole(good, [false, ...drawn].values()) as JsonObject;
        expect(check(params, 'template')).toEqual(params);
      }),
    );
  });
});
