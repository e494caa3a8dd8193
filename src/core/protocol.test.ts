import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProtocol } from './protocol.ts';
import { thrownBy } from './thrown.suite.ts';

const refusal = (input: unknown) => thrownBy(() => parseProtocol(input));
const echo = { name: 'echo/v1', methods: { echo: {} } };
const ofMethod = (method: unknown) => ({ name: 'echo/v1', methods: { echo: method } });
const method = (definition: unknown) => parseProtocol(ofMethod(definition)).methods['echo'];

const search = {
  name: 'Web Search Protocol',
  version: '1.0',
  description: 'JSON-RPC 2.0 protocol for web search operations',
  methods: {
    search: {
      description: 'Search the web',
      params: { query: { type: 'string', required: true }, max_results: { type: 'integer', default: 10 } },
      returns: { type: 'object', properties: { results: { type: 'array' } } },
    },
    fetch_url: { params: { url: { type: 'string', required: true } } },
  },
};

describe('a protocol', () => {
  it('is read as the design shows it, listed by name', () => {
    const expected = {
      name: 'web-search/v1',
      title: 'Web Search Protocol',
      version: '1.0',
      description: 'JSON-RPC 2.0 protocol for web search operations',
      extends: null,
      methods: {
        search: {
          description: 'Search the web',
          params: {
            type: 'object',
            properties: { query: { type: 'string' }, max_results: { type: 'integer', default: 10 } },
            required: ['query'],
            additionalProperties: false,
          },
          returns: { type: 'object', properties: { results: { type: 'array' } } },
          examples: [],
          deprecated: false,
          idempotent: false,
        },
        fetch_url: {
          description: null,
          params: {
            type: 'object',
            properties: { url: { type: 'string' } },
            required: ['url'],
            additionalProperties: false,
          },
          returns: true,
          examples: [],
          deprecated: false,
          idempotent: false,
        },
      },
    };
    expect(parseProtocol({ 'web-search/v1': search })).toStrictEqual(expected);
    expect(parseProtocol({ protocols: { 'web-search/v1': search } })).toStrictEqual(expected);
  });

  it('is read by its own name', () => {
    const expected = { name: 'echo/v1', title: null, version: 'v1', description: null, extends: null };
    expect(parseProtocol(echo)).toMatchObject(expected);
    expect(parseProtocol({ protocol: echo })).toMatchObject(expected);
    expect(parseProtocol({ ...echo, title: 'Echo' })).toMatchObject({ name: 'echo/v1', title: 'Echo' });
    expect(parseProtocol({ 'echo/v1': { name: 'A', title: 'B', methods: {} } })).toMatchObject({
      title: 'B',
    });
  });

  it('takes its version from its name unless it has one', () => {
    expect(parseProtocol({ ...echo, name: 'org/echo/v2' }).version).toBe('v2');
    expect(parseProtocol({ ...echo, version: '1.4' }).version).toBe('1.4');
    expect(parseProtocol({ ...echo, name: 'echo', version: '1' }).version).toBe('1');
    expect(refusal({ ...echo, name: 'echo' }).details).toMatchObject({
      field: '/version',
      reason: 'is missing',
      hint: 'give one, or name the protocol with its version: echo/v1',
    });
  });

  it('may extend another, and may have names with . and -', () => {
    const mcp = {
      extends: 'https://spec.modelcontextprotocol.io/',
      methods: { 'tools/list': {}, 'tool.add-2': {} },
    };
    const read = parseProtocol({ 'mcp/v1': mcp });
    expect(read.extends).toBe('https://spec.modelcontextprotocol.io/');
    expect(Object.keys(read.methods)).toEqual(['tools/list', 'tool.add-2']);
  });

  it('comes alone', () => {
    const two = { 'a/v1': { methods: {} }, 'b/v1': { methods: {} } };
    expect(refusal(two)).toMatchObject({
      code: 'GLZ1008',
      message: 'holds 2 protocols instead of one',
      details: { field: '', reason: 'holds 2 protocols instead of one' },
    });
    expect(refusal({}).message).toBe('holds no protocol');
    expect(refusal({ protocols: two }).message).toBe('holds 2 protocols instead of one');
  });

  it.each([
    [3, '', 'must be an object, not number'],
    [null, '', 'must be an object, not null'],
    [[echo], '', 'must be an object, not array'],
    [{ a: () => 1 }, '/a', 'a function cannot be written as JSON'],
    [{ 'a/v1': 3 }, '/a~1v1', 'must be an object, not number'],
    [{ methods: {} }, '/name', 'is missing'],
    [{ name: 'a/v1' }, '/methods', 'is missing'],
    [{ name: 'a/v1', methods: [] }, '/methods', 'must be an object, not array'],
    [{ ...echo, method: {} }, '/method', 'unknown key "method"'],
    [{ ...echo, version: 1 }, '/version', 'must be text, not number'],
    [{ ...echo, description: 1 }, '/description', 'must be text, not number'],
    [{ ...echo, title: {} }, '/title', 'must be text, not object'],
    [{ ...echo, extends: '' }, '/extends', 'must not be empty'],
    [{ ...echo, name: 'Web Search/v1' }, '/name', '"Web Search/v1" cannot name a protocol'],
    [{ ...echo, name: '/v1' }, '/name', '"/v1" cannot name a protocol'],
    [{ ...echo, name: 'a//v1' }, '/name', '"a//v1" cannot name a protocol'],
    [{ ...echo, name: '1/v1' }, '/name', '"1/v1" cannot name a protocol'],
    [
      { 'Web Search': { version: '1', methods: {} } },
      '/Web Search/name',
      '"Web Search" cannot name a protocol',
    ],
    [{ name: 'a/v1', methods: { '1st': {} } }, '/methods/1st', 'cannot name a method'],
    [{ name: 'a/v1', methods: { 'a b': {} } }, '/methods/a b', 'cannot name a method'],
    [
      { name: 'a/v1', methods: { [`a${'b'.repeat(256)}`]: {} } },
      `/methods/a${'b'.repeat(256)}`,
      'cannot name a method',
    ],
    [ofMethod(3), '/methods/echo', 'must be an object, not number'],
    [ofMethod({ param: {} }), '/methods/echo/param', 'unknown key "param"'],
    [ofMethod({ description: 3 }), '/methods/echo/description', 'must be text, not number'],
    [
      ofMethod({ params: 'string' }),
      '/methods/echo/params',
      'must be a JSON Schema or a list of properties, not string',
    ],
    [
      ofMethod({ returns: [] }),
      '/methods/echo/returns',
      'must be a JSON Schema or a list of properties, not array',
    ],
    [ofMethod({ params: { type: 'array' } }), '/methods/echo/params', 'must describe an object, not "array"'],
    [
      ofMethod({ params: { type: ['object', 'null'] } }),
      '/methods/echo/params',
      'must describe an object, not ["object","null"]',
    ],
    [ofMethod({ examples: {} }), '/methods/echo/examples', 'must be a list, not object'],
    [ofMethod({ examples: [3] }), '/methods/echo/examples', 'must hold objects with params'],
    [ofMethod({ examples: [{ params: 3 }] }), '/methods/echo/examples', 'must hold objects with params'],
    [
      ofMethod({ params: { q: { default: '${a.result}' } } }),
      '/methods/echo/params',
      'has a default that holds ${',
    ],
    [
      ofMethod({ params: { q: { items: { default: ['${x'] } } } }),
      '/methods/echo/params',
      'has a default that holds ${',
    ],
    [ofMethod({ returns: { default: '$${' } }), '/methods/echo/returns', 'has a default that holds ${'],
    [
      ofMethod({ params: { title: 'x'.repeat(256 * 1024) } }),
      '/methods/echo/params',
      'is larger than 262144 characters',
    ],
  ])('%# is refused', (input, field, reason) => {
    const error = refusal(input);
    expect(error.code).toBe('GLZ1008');
    expect(error.details).toMatchObject({ field, reason });
  });

  it('has hints', () => {
    expect(refusal({ ...echo, methds: {} }).details.hint).toBe('did you mean "methods"?');
    expect(refusal({ ...echo, name: 'a b/v1' }).details.hint).toBe('write it like web-search/v1');
    expect(refusal({ name: 'a/v1', methods: { '-': {} } }).details.hint).toBe(
      'a letter, then letters, digits and _ / . -',
    );
    expect(refusal(ofMethod({ parms: {} })).details.hint).toBe('did you mean "params"?');
    expect(refusal(ofMethod({ params: { type: 'array' } })).details.hint).toBe('params are given by name');
    expect(refusal(ofMethod({ examples: [3] })).details.hint).toBe('write {"params": {…}}');
    expect(refusal(ofMethod({ params: { q: { default: '${' } } })).details.hint).toBe(
      'references are filled in params, not in defaults',
    );
    const long = refusal({ ...echo, name: `${'a b'.repeat(100)}` });
    expect(long.details.reason).toBe('must not be longer than 256 characters');
    expect(refusal({ [`${'ab'.repeat(150)}/v1`]: { methods: {} } }).details.reason).toBe(
      `"${'ab'.repeat(128)}" cannot name a protocol`,
    );
  });

  it('may hold a schema that just fits', () => {
    const params = (n: number) => ({ title: 'x'.repeat(n - '{"title":""}'.length) });
    expect(method({ params: params(256 * 1024) })).toBeDefined();
    expect(refusal(ofMethod({ params: params(256 * 1024 + 1) })).details.reason).toContain('is larger');
  });

  it('keeps examples', () => {
    const examples = [
      { params: { a: 1 }, result: 2 },
      { params: { a: 1 } },
      { a: 1 },
      { a: 1, result: 2 },
      { params: { b: 1 }, result: null },
    ];
    expect(method({ examples })?.examples).toStrictEqual([
      { params: { a: 1 }, result: 2 },
      { params: { a: 1 } },
      { params: { a: 1 } },
      { params: { a: 1, result: 2 } },
      { params: { b: 1 }, result: null },
    ]);
    expect(method({ deprecated: true })?.deprecated).toBe(true);
    expect(method({ deprecated: 'yes' })?.deprecated).toBe(false);
    expect(method({ idempotent: true })?.idempotent).toBe(true);
    expect(() => method({ idempotent: 'yes' })).toThrow('must be true or false, not string');
  });

  it('or anything else is read or refused, never more', () => {
    const word = fc.constantFrom(
      'name',
      'methods',
      'protocols',
      'params',
      'x',
      'a/v1',
      'properties',
      'required',
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 1 }), fc.dictionary(word, tie('tree'))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        try {
          parseProtocol(value);
        } catch {
          expect(thrownBy(() => parseProtocol(value)).code).toBe('GLZ1008');
        }
      }),
    );
  });
});
