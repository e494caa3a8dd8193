import fc from 'fast-check';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { isObject } from '../core/json.ts';
import { misfits } from './check-shape.ts';
import { HttpConfig, StdioConfig, WebSocketConfig } from './jsonrpc/config.ts';
import { configSchemas } from './registry.ts';

const keys = [
  'url',
  'headers',
  'methods',
  'only',
  'timeout',
  'connections',
  'tls',
  'auth',
  'command',
  'cwd',
  'env',
  'framing',
  'ur',
];
const auths = fc.dictionary(
  fc.constantFrom('type', 'header', 'query', 'value', 'token', 'username', 'password', 'style', 'tls'),
  fc.constantFrom<unknown>(
    'api_key',
    'bearer',
    'basic',
    'oauth2',
    '${secrets.a}',
    'X-A',
    'header',
    'a:b',
    1,
    null,
  ),
);

const sound = fc.constantFrom<unknown>(
  { type: 'api_key', header: 'X-Key', value: 'Key ${secrets.a}' },
  { type: 'api_key', query: 'key', value: '${secrets.a}' },
  { type: 'bearer', token: '${secrets.a}' },
  { type: 'basic', username: 'me', password: '${secrets.a-b}' },
  { type: 'oauth2', token_url: 'https://a/', client_id: 'me', client_secret: '${secrets.a}', style: 'body' },
);
/** One that is sound, and one that nearly is. */
const nearly = fc
  .tuple(sound, auths, fc.boolean())
  .map(([auth, more, pure]) => (pure ? auth : { ...(auth as object), ...more }));

const values = fc.oneof(
  auths,
  nearly,
  fc.constantFrom<unknown>(
    'http://a',
    'ws://a',
    'auto',
    'odd',
    '',
    'a\nb',
    0,
    1,
    1.5,
    5000,
    -1,
    true,
    null,
    [],
    ['a'],
    ['a', 1],
  ),
  fc.dictionary(
    fc.constantFrom('a', 'b c', 'ca', 'key', 'servername'),
    fc.constantFrom<unknown>('x', '', 'a\nb', 1, null),
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const configs = fc.oneof(fc.dictionary(fc.constantFrom(...keys), values), fc.jsonValue({ maxDepth: 1 }));

describe('misfits', () => {
  it.each([
    ['http', HttpConfig],
    ['websocket', WebSocketConfig],
    ['stdio', StdioConfig],
  ])('finds something wrong with a configuration of %s exactly where TypeBox does', (_, schema) => {
    fc.assert(
      fc.property(configs, (config) => {
        expect(misfits(schema, config).length === 0).toBe(Check(schema, config));
      }),
      { numRuns: 2000 },
    );
  });

  it('names what is wrong and where', () => {
    const found = misfits(HttpConfig, {
      url: 'ftp://a',
      headers: { 'b c': 'x', a: 'a\nb' },
      connections: 0,
      tsl: {},
    });
    expect(found).toMatchObject([
      { is: 'wrong', field: '/url', reason: 'must be an address that begins with http:// or https://' },
      { is: 'unknown', field: '/headers/b c', known: [] },
      { is: 'wrong', field: '/headers/a', reason: 'must be one line of text' },
      { is: 'wrong', field: '/connections', reason: 'must be at least 1' },
      { is: 'unknown', field: '/tsl', key: 'tsl' },
    ]);
  });
});

it('says what is wrong with the way to authenticate that is meant', () => {
  const said = (auth: object) =>
    misfits(HttpConfig, { url: 'http://a', auth }).map((misfit) => [
      misfit.field,
      misfit.is === 'wrong' ? misfit.reason : misfit.is,
    ]);
  expect(said({ type: 'api_kye' })).toEqual([
    ['/auth/type', 'must be one of api_key, bearer, basic, oauth2'],
  ]);
  expect(said({ type: 'bearer' })).toEqual([['/auth/token', 'missing']]);
  expect(said({ type: 'api_key', header: 'X-A', query: 'a', value: '${secrets.a}' })).toEqual([
    ['/auth/query', 'unknown'],
  ]);
  expect(said({ type: 'api_key', query: 'a', value: 'plain' })).toEqual([
    ['/auth/value', expect.stringContaining('must be one of the secrets')],
  ]);
  expect(said({ token: '${secrets.a}' })).toEqual([['/auth/type', 'missing']]);
  expect(said([])).toEqual([['/auth', 'must be object']]);
});

/** What `misfits` holds a value against, and what says nothing about values. */
const words = new Set([
  ...[
    'type',
    'enum',
    'const',
    'anyOf',
    'properties',
    'patternProperties',
    'required',
    'additionalProperties',
    'items',
  ],
  ...['minItems', 'minLength', 'pattern', 'minimum', 'maximum', 'title', 'description', 'default'],
]);

function wordsIn(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const inner = [schema['properties'], schema['patternProperties']].flatMap((each) =>
    Object.values(each ?? {}),
  );
  const branches = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return [...Object.keys(schema), ...[...inner, ...branches, schema['items']].flatMap(wordsIn)];
}

it('no provider type is described with a word that would not be checked', () => {
  for (const [type, schema] of Object.entries(configSchemas())) {
    const unchecked = wordsIn(schema).filter((word) => !words.has(word) && !word.startsWith('x-'));
    expect([type, unchecked]).toEqual([type, []]);
  }
});
