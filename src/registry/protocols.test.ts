import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { parseProtocol } from '../core/protocol.ts';
import { createProtocols, type Protocols } from './protocols.ts';

function thrownBy(call: () => unknown): GleitzeitError {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof GleitzeitError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

function registered(methods: Record<string, unknown>): Protocols {
  const protocols = createProtocols();
  protocols.register(parseProtocol({ name: 'p/v1', methods }));
  return protocols;
}

/** Checks params against one method's schema. */
function judge(params: unknown, returns: unknown = true) {
  const protocols = registered({ m: { params, returns } });
  const check = (value: JsonObject, stage: 'template' | 'final' = 'final') =>
    protocols.checkParams({ protocol: 'p/v1', method: 'm', params: value, stage });
  const refusal = (value: JsonObject, stage: 'template' | 'final' = 'final') =>
    thrownBy(() => check(value, stage));
  return { check, refusal, protocols };
}

const search = {
  query: { type: 'string', required: true },
  max_results: { type: 'integer', default: 10 },
  order: { enum: ['date', 'rank'] },
};

describe('params', () => {
  it('get their defaults, on a copy', () => {
    const { check } = judge(search);
    const params = { query: 'x' };
    expect(check(params)).toEqual({ query: 'x', max_results: 10 });
    expect(params).toEqual({ query: 'x' });
    const full = { query: 'x', max_results: 3 };
    expect(check(full)).toBe(full);
  });

  it('may be anything where nothing is said', () => {
    const { check } = judge({});
    const params = { a: ['x'] };
    expect(check(params)).toBe(params);
    expect(check({ x: '${a.result}' }, 'template')).toEqual({ x: '${a.result}' });
    expect(judge(true).check(params)).toBe(params);
    expect(judge(false).refusal({}).code).toBe('GLZ1005');
  });

  it.each<[JsonObject, string, string, string | undefined]>([
    [{}, '/query', 'is missing', undefined],
    [{ qeury: 'x' }, '/query', 'is missing', 'did you mean it by "qeury"?'],
    [{ query: 3 }, '/query', 'must be string, not 3', undefined],
    [{ query: null }, '/query', 'must be string, not null', undefined],
    [{ query: ['x'] }, '/query', 'must be string, not an array of 1', undefined],
    [{ query: { q: 1 } }, '/query', 'must be string, not an object', undefined],
    [{ query: 'x', max_results: 'three' }, '/max_results', 'must be integer, not "three"', undefined],
    [
      { query: 'x', max_results: 'x'.repeat(50) },
      '/max_results',
      `must be integer, not "${'x'.repeat(40)}…"`,
      undefined,
    ],
    [{ query: 'x', max_result: 3 }, '/max_result', 'unknown key "max_result"', 'did you mean "max_results"?'],
    [{ query: 'x', zzz: 3 }, '/zzz', 'unknown key "zzz"', 'known keys: query, max_results, order'],
    [
      { query: 'x', order: 'dat' },
      '/order',
      'must be one of "date", "rank", not "dat"',
      'did you mean "date"?',
    ],
    [{ query: 'x', order: 1 }, '/order', 'must be one of "date", "rank", not 1', undefined],
  ])('%j are refused', (params, field, reason, hint) => {
    const error = judge(search).refusal(params);
    expect(error.code).toBe('GLZ1005');
    expect(error.message).toBe(`/params${field}: ${reason}`);
    expect(error.details).toEqual({
      field: `/params${field}`,
      reason,
      ...(hint === undefined ? {} : { hint }),
    });
  });

  it('cannot reach a prototype', () => {
    const { check, refusal } = judge({ type: 'object' });
    const error = refusal(JSON.parse('{"__proto__": {"x": 1}}'));
    expect(error.details).toEqual({ field: '/params/__proto__', reason: '"__proto__" cannot be a key' });
    expect(check({ a: 1 })).toEqual({ a: 1 });
    const required = judge({ type: 'object', required: ['toString'] });
    expect(required.refusal({}).details.field).toBe('/params/toString');
    const listed = judge({ constructor: { type: 'string', default: 'x' } });
    expect(listed.check({})).toEqual({ constructor: 'x' });
  });

  it('name the protocol or method that is unknown', () => {
    const { protocols } = judge(search);
    const call = (protocol: string, method: string) =>
      thrownBy(() => protocols.checkParams({ protocol, method, params: {}, stage: 'final' }));
    expect(call('p/v2', 'm')).toMatchObject({
      code: 'GLZ1003',
      message: 'no protocol is called "p/v2"',
      details: { field: '/protocol', hint: 'did you mean "p/v1"?' },
    });
    expect(call('zzzzzz', 'm').details.hint).toBe('registered protocols: p/v1');
    expect(call('p/v1', 'constructor')).toMatchObject({
      code: 'GLZ1004',
      message: 'protocol "p/v1" has no method "constructor"',
      details: { field: '/method', hint: 'its methods: m' },
    });
    expect(thrownBy(() => protocols.checkResult({ protocol: 'x', method: 'm', result: 1 })).code).toBe(
      'GLZ1003',
    );
    expect(thrownBy(() => protocols.secrets('p/v1', 'x')).code).toBe('GLZ1004');
  });
});

/** A literal with `then` in it would look like a promise. */
const ifThen = (condition: Json, consequence: Json) =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
  ]);

describe('what is expected', () => {
  it.each<[unknown, Json, string, string]>([
    [{ const: 5 }, 6, '', 'must be 5, not 6'],
    [{ minimum: 3 }, 2, '', 'must be >= 3, found 2'],
    [{ type: ['string', 'null'] }, 2, '', 'must be string or null, not 2'],
    [{ format: 'email' }, 'x', '', 'must match format "email", found "x"'],
    [{ pattern: '^a+$' }, 'b', '', 'must match pattern "^a+$", found "b"'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, true, '', 'must be string or integer, not true'],
    [{ oneOf: [{ type: 'integer' }, { minimum: 2 }] }, 5, '', 'fits more than one of the allowed forms'],
    [
      { anyOf: [{ const: 1 }, { minimum: 9 }] },
      5,
      '',
      'fits none of the allowed forms: must be 1, not 5; must be >= 9, found 5',
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'object', properties: { n: { type: 'integer' } } }] },
      { n: 'x' },
      '/n',
      'must be integer, not "x"',
    ],
    [
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { c: 1 },
      '',
      'fits none of the allowed forms: /a is missing; /b is missing',
    ],
    [
      ifThen({ type: 'string' }, { minLength: 3 }),
      'x',
      '',
      'must NOT have fewer than 3 characters, found "x"',
    ],
    [{ not: { type: 'string' } }, 'x', '', 'must NOT be valid, found "x"'],
    [ifThen(true, false), 'x', '', 'boolean schema is false, found "x"'],
    [{ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, 0, '', 'must be one of 1, 2, 3, 4, 5, 6, 7, 8, …, not 0'],
    [{ properties: { a: true }, unevaluatedProperties: false }, { ab: 1 }, '/ab', 'unknown key "ab"'],
    [
      { items: { properties: { 'a/b': { type: 'null' } } } },
      [{ 'a/b': 1 }],
      '/0/a~1b',
      'must be null, not 1',
    ],
    [
      { pattern: 'x' },
      'x'.repeat(9_000),
      '-',
      'a text of 9000 characters is too long for a pattern (at most 8192)',
    ],
  ])('by %j of %j', (schema, value, field, reason) => {
    const error = judge({ type: 'object', properties: { v: schema } }).refusal({ v: value });
    expect(error.details.reason).toBe(reason);
    expect(error.details.field).toBe(field === '-' ? '/params' : `/params/v${field}`);
  });

  it('is not told by showing a secret', () => {
    const key = { type: 'string', minLength: 8, 'x-secret': true };
    const { refusal } = judge({
      type: 'object',
      properties: { key, list: { items: { 'x-secret': true, type: 'integer' } } },
    });
    expect(refusal({ key: 'hunter2' }).message).not.toContain('hunter2');
    expect(refusal({ key: 'hunter2' }).details.reason).toBe(
      'must NOT have fewer than 8 characters, found a string',
    );
    expect(refusal({ list: ['hunter2'] }).details.reason).toBe('must be integer, not a string');
  });
});

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

describe('results', () => {
  it('are judged by what the method returns', () => {
    const { protocols } = judge({}, { results: { type: 'array', required: true } });
    const check = (result: Json) => protocols.checkResult({ protocol: 'p/v1', method: 'm', result });
    expect(() => check({ results: [], more: 1 })).not.toThrow();
    expect(thrownBy(() => check({ results: 'x' }))).toMatchObject({
      code: 'GLZ2005',
      message: '/result/results: must be array, not "x"',
      details: { field: '/result/results' },
    });
    expect(thrownBy(() => check(null)).details.field).toBe('/result');
  });
});

describe('registration', () => {
  const invalid = (params: unknown) =>
    thrownBy(() =>
      createProtocols().register(parseProtocol({ name: 'p/v1', methods: { 'a/b': { params } } })),
    );

  it.each<[unknown, string, RegExp, RegExp?]>([
    [
      { type: 'object', properties: { q: { type: 'strin' } } },
      '/properties/q/type',
      /must be one of/,
      /"string"/,
    ],
    [{ $ref: 'https://example.com/schema' }, '', /\$ref "https:.*nothing is ever fetched/, /\$defs/],
    [{ $ref: '#/$defs/gone' }, '', /\$ref "#\/\$defs\/gone" is not in this schema/],
    [{ type: 'object', propertes: {} }, '', /unknown keyword "propertes"/, /"properties"/],
    [{ type: 'object', properties: { q: { pattern: '(a+)+$' } } }, '', /repeats a group that repeats itself/],
    [{ type: 'object', properties: { q: { pattern: '(' } } }, '', /Invalid regular expression/],
    [{ type: 'object', $schema: 'https://example.com/draft' }, '', /\$schema .* is not known/, /2020-12/],
    [
      { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#', minProperties: 'x' },
      '/minProperties',
      /must be integer/,
    ],
    [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, '', /leads back to where it stands/],
    [
      { type: 'object', properties: { a: { anyOf: [{ not: { $ref: '#/properties/a' } }] } } },
      '',
      /leads back/,
    ],
    [{ type: 'object', allOf: [{ $ref: '#' }] }, '', /leads back/],
    [
      { type: 'object', properties: { next: { $ref: '#' }, key: { 'x-secret': true } } },
      '',
      /a recursive schema cannot hold a field marked x-secret/,
    ],
  ])('of %j is refused', (params, field, reason, hint) => {
    const error = invalid(params);
    expect(error.code).toBe('GLZ1008');
    expect(error.details.field).toBe(`/methods/a~1b/params${field}`);
    expect(error.details.reason).toMatch(reason);
    if (hint) expect(error.details.hint).toMatch(hint);
  });

  it('tolerates notes for others, unknown formats and older drafts', () => {
    const params = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.com/x',
      type: 'object',
      'x-order': ['a'],
      properties: { a: { type: 'string', format: 'hostname-or-so', 'x-widget': 'text', example: 'x' } },
    };
    expect(judge(params).check({ a: 'x' })).toEqual({ a: 'x' });
  });

  it('checks examples', () => {
    const register = (example: unknown) =>
      createProtocols().register(
        parseProtocol({
          name: 'p/v1',
          methods: {
            m: { params: search, returns: { n: { type: 'integer' } }, examples: [{ query: 'ok' }, example] },
          },
        }),
      );
    expect(() => register({ params: { query: '${a.result}' }, result: { n: 1 } })).not.toThrow();
    expect(thrownBy(() => register({ params: { qery: 'x' } }))).toMatchObject({
      code: 'GLZ1008',
      message: '/methods/m/examples/1/params/query: is missing',
      details: { field: '/methods/m/examples/1/params/query', hint: 'did you mean it by "qery"?' },
    });
    expect(thrownBy(() => register({ params: { query: 'x' }, result: { n: 'x' } })).message).toBe(
      '/methods/m/examples/1/result/n: must be integer, not "x"',
    );
  });

  it('may wait until a method is used', () => {
    const protocols = createProtocols();
    const broken = { type: 'object', properties: { q: { type: 'strin' } } };
    const definition = parseProtocol({
      name: 'p/v1',
      methods: { bad: { params: broken }, good: { params: search } },
    });
    protocols.register(definition, { compile: 'on_use' });
    const call = (method: string) =>
      protocols.checkParams({ protocol: 'p/v1', method, params: { query: 'x' }, stage: 'final' });
    expect(call('good')).toEqual({ query: 'x', max_results: 10 });
    expect(thrownBy(() => call('bad')).code).toBe('GLZ1008');
  });

  it('replaces, and keeps the old one when the new one is refused', () => {
    const protocols = registered({ m: {} });
    expect(
      thrownBy(() =>
        protocols.register(parseProtocol({ name: 'p/v1', methods: { n: { params: { $ref: 'x:y' } } } })),
      ).code,
    ).toBe('GLZ1008');
    expect(Object.keys(protocols.get('p/v1')?.methods ?? {})).toEqual(['m']);
    protocols.register(parseProtocol({ name: 'p/v1', methods: { n: {} } }));
    expect(Object.keys(protocols.get('p/v1')?.methods ?? {})).toEqual(['n']);
    expect(protocols.has('p/v1')).toBe(true);
    expect(protocols.has('q/v1')).toBe(false);
    expect(protocols.get('q/v1')).toBeUndefined();
    expect(protocols.list().map(({ name }) => name)).toEqual(['p/v1']);
  });

  it('brings along the methods of what it extends, where that is known', () => {
    const protocols = registered({ m: { params: search }, n: {} });
    protocols.register(parseProtocol({ name: 'q/v1', extends: 'p/v1', methods: { n: { params: search } } }));
    const call = (method: string) =>
      protocols.checkParams({ protocol: 'q/v1', method, params: { query: 'x' }, stage: 'final' });
    expect(call('m')).toEqual({ query: 'x', max_results: 10 });
    expect(call('n')).toEqual({ query: 'x', max_results: 10 });
    protocols.register(parseProtocol({ name: 'r/v1', extends: 'https://example.com/spec', methods: {} }));
    expect(protocols.get('r/v1')?.methods).toEqual({});
  });

  it('keeps the names of two protocols apart', () => {
    const protocols = registered({
      m: { params: { type: 'object', $id: 'same', $defs: { x: { $id: 'inner', type: 'string' } } } },
    });
    const again = {
      type: 'object',
      $id: 'same',
      $defs: { x: { $id: 'inner', type: 'integer' } },
      properties: { v: { $ref: '#/$defs/x' } },
    };
    protocols.register(parseProtocol({ name: 'q/v1', methods: { m: { params: again } } }));
    expect(
      protocols.checkParams({ protocol: 'q/v1', method: 'm', params: { v: 1 }, stage: 'final' }),
    ).toEqual({ v: 1 });
  });
});
