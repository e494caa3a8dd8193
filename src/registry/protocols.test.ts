import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../core/json.ts';
import { parseProtocol } from '../core/protocol.ts';
import { thrownBy } from '../core/thrown.suite.ts';
import { judge, registered, search } from './judge.suite.ts';
import { createProtocols } from './protocols.ts';

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
    [{ type: 'object', properties: { q: { pattern: '(a)\\1' } } }, '', /cannot be matched in linear time/],
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

  it('holds each text against its own pattern, however many there are', () => {
    const protocols = createProtocols();
    const params = {
      url: { type: 'string', pattern: '^https?://' },
      kind: { type: 'string', pattern: '^image/' },
      slow: { type: 'string', pattern: '^(a|b)+$' },
    };
    protocols.register(parseProtocol({ name: 'p/v1', methods: { m: { params } } }));
    const check = (given: JsonObject) =>
      protocols.checkParams({ protocol: 'p/v1', method: 'm', params: given, stage: 'final' });
    expect(check({ url: 'http://x', kind: 'image/png', slow: 'ab' })).toBeDefined();
    for (const wrong of [{ kind: 'http://x' }, { url: 'image/png' }, { slow: 'image/png' }])
      expect(() => check(wrong)).toThrow(/must match pattern/);
  });

  it('has the methods of what it extends, whenever that comes, changes or goes', () => {
    const protocols = createProtocols();
    const put = (name: string, base: string | null, method: string) =>
      protocols.register(
        parseProtocol({ name, methods: { [method]: {} }, ...(base === null ? {} : { extends: base }) }),
      );
    const methods = () => Object.keys(protocols.get('c/v1')?.methods ?? {}).sort();
    put('c/v1', 'b/v1', 'third');
    put('b/v1', 'a/v1', 'second');
    expect(methods()).toEqual(['second', 'third']);
    put('a/v1', null, 'first');
    expect(methods()).toEqual(['first', 'second', 'third']);
    const call = { protocol: 'c/v1', method: 'first', params: {}, stage: 'final' } as const;
    expect(protocols.checkParams(call)).toEqual({});
    put('a/v1', null, 'other');
    expect(methods()).toEqual(['other', 'second', 'third']);
    expect(() => protocols.checkParams(call)).toThrow(expect.objectContaining({ code: 'GLZ1004' }));
    protocols.unregister('a/v1');
    expect(methods()).toEqual(['second', 'third']);
  });

  it('lives with a circle, for those who look do so before', () => {
    const protocols = createProtocols();
    protocols.register(parseProtocol({ name: 'a/v1', extends: 'b/v1', methods: { one: {} } }));
    protocols.register(parseProtocol({ name: 'b/v1', extends: 'a/v1', methods: { two: {} } }));
    for (const { methods } of protocols.list()) expect(Object.keys(methods).sort()).toEqual(['one', 'two']);
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

describe('fields marked as secret', () => {
  it('may stand in as many methods as like, in params and in results', () => {
    const schema = {
      type: 'object',
      properties: { key: { type: 'string', 'x-secret': true, 'x-note': 'n' } },
    };
    const methods = { a: { params: schema, returns: schema }, b: { params: schema } };
    const protocols = createProtocols();
    protocols.register(parseProtocol({ name: 'vault/v1', methods }));
    expect(protocols.secrets('vault/v1', 'a')).toEqual({ params: ['/key'], result: ['/key'] });
    expect(protocols.secrets('vault/v1', 'b')).toEqual({ params: ['/key'], result: [] });
  });
});
