import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import { parseProtocol } from '../core/protocol.ts';
import { definitionRules, knownProtocols } from './protocols.ts';

const define = (name: string, base: string | null, method: string) =>
  parseProtocol({
    name,
    ...(base === null ? {} : { extends: base }),
    methods: { [method]: { params: { text: { type: 'string', pattern: '^[a-z]+$' } } } },
  });

describe('protocols for whoever reads workflow files', () => {
  it('have the methods of what they extend, whatever the order they are written in', () => {
    const known = knownProtocols([
      define('c/v1', 'b/v1', 'third'),
      define('b/v1', 'a/v1', 'second'),
      define('a/v1', null, 'first'),
    ]);
    expect(Object.keys(known.get('c/v1')?.methods ?? {}).sort()).toEqual(['first', 'second', 'third']);
    expect([...known.names()].sort()).toEqual(['a/v1', 'b/v1', 'c/v1']);
  });

  it('may extend each other in a circle, or what is not there', () => {
    const known = knownProtocols([
      define('a/v1', 'b/v1', 'one'),
      define('b/v1', 'a/v1', 'two'),
      define('c/v1', 'gone/v1', 'three'),
    ]);
    expect(known.names()).toHaveLength(3);
  });

  it('judge params as the engine does', () => {
    const { checkParams } = knownProtocols([define('a/v1', null, 'say')]);
    const call = { protocol: 'a/v1', method: 'say' };
    expect(() => checkParams?.({ ...call, params: { text: 'BEES' } })).toThrow('must match pattern');
    expect(() => checkParams?.({ ...call, params: { text: '${x.result}' } })).not.toThrow();
  });
});

describe('a key by which a configuration limits calls', () => {
  const read = (text: string, more = {}) =>
    loadConfig({ env: {}, cwd: '/tmp', text, ...definitionRules(), ...more }).then(
      ({ protocols }) => protocols.map(({ limits }) => limits?.per_key?.key).join(),
      (thrown: unknown) => `${GleitzeitError.from(thrown).message} ${JSON.stringify(thrown)}`,
    );
  const limits = 'limits: {per_key: {key: params.token, concurrency: 1}}';
  const methods = 'methods: {go: {params: {token: {type: string, x-secret: true}}}}';

  it('is none that a method marks as secret, which is told with its place and what to do', async () => {
    const told = await read(`protocols:\n  - name: a/v1\n    ${methods}\n    ${limits}`);
    expect(told).toContain('4:29');
    expect(told).toContain('is secret: the method "go" marks it x-secret');
    expect(told).toContain('take a param that is none');
  });

  it('is held against what a protocol extends, against the library, and a definition of its own', async () => {
    const heir = `  - {name: b/v1, extends: a/v1, methods: {other: {}}, ${limits}}`;
    expect(await read(`protocols:\n  - {name: a/v1, ${methods}}\n${heir}`)).toContain('is secret');
    const apart = `protocols:\n  - {protocol: {name: a/v1, ${methods}}, ${limits}}`;
    expect(await read(apart)).toContain('is secret');
    const params = { token: { type: 'string', 'x-secret': true } };
    const library = new Map([['a/v1', parseProtocol({ name: 'a/v1', methods: { go: { params } } })]]);
    expect(await read(`protocols:\n  - {name: a/v1, ${limits}}`, { library })).toContain('is secret');
  });

  it('may be any other, also where calls that have a secret in common go to the same provider', async () => {
    const sticky = 'pool: {select: sticky, sticky_by: params.token}';
    const open = 'limits: {per_key: {key: params.user, concurrency: 1}}';
    expect(await read(`protocols:\n  - {name: a/v1, ${methods}, ${sticky}, ${open}}`)).toBe('params.user');
  });
});
