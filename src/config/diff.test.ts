import { describe, expect, it } from 'vitest';
import { changesAnything, diffConfigs } from './diff.ts';
import { load } from './testing.suite.ts';

const text = `
server: {port: 1}
secrets: {a: {env: A}}
protocols:
  - name: one/v1
    methods: {go: {}}
    providers:
      - {id: p, type: ollama, config: {x: 1, y: 2}}
      - {id: q, type: ollama}
  - {name: llm/v1, providers: [{id: r, type: ollama}]}
`;
const env = { A: 'a' };
const before = await load(text, { env });
const changedTo = async (change: (text: string) => string, changed = env) =>
  diffConfigs(before, await load(change(text), { env: changed }));
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

describe('diffConfigs', () => {
  it('finds nothing in the same configuration, however it is written', async () => {
    const change = await changedTo((same) =>
      same.replace('{x: 1, y: 2}', '{y: 2, x: 1}').replace('\n', '\n# hm\n'),
    );
    expect(changesAnything(change)).toBe(false);
    expect(change.restart).toEqual([]);
    expect(ids(change.providers.kept)).toEqual(['p', 'q', 'r']);
  });

  it('tells added, changed, removed and kept providers apart', async () => {
    const change = await changedTo((old) =>
      old
        .replace('x: 1', 'x: 2')
        .replace('      - {id: q, type: ollama}\n', '      - {id: s, type: openai}\n'),
    );
    expect(ids(change.providers.added)).toEqual(['s']);
    expect(ids(change.providers.removed)).toEqual(['q']);
    expect(ids(change.providers.kept)).toEqual(['r']);
    expect(change.providers.changed).toMatchObject([
      { before: { id: 'p', protocol: 'one/v1', config: { x: 1 } }, after: { id: 'p', config: { x: 2 } } },
    ]);
    expect(change.protocols).toEqual({ added: [], changed: [], removed: [], pools: [] });
    expect(changesAnything(change)).toBe(true);
  });

  it('takes a provider that moved to another protocol for a changed one', async () => {
    const change = await changedTo((old) => old.replace('llm/v1', 'mcp/v1'));
    expect(ids(change.providers.changed.map((pair) => pair.after))).toEqual(['r']);
    expect(change.protocols).toMatchObject({ added: [{ name: 'mcp/v1' }], removed: [{ name: 'llm/v1' }] });
  });

  it('tells of changed definitions', async () => {
    const change = await changedTo((old) => old.replace('{go: {}}', '{go: {}, stop: {}}'));
    expect(change.protocols).toMatchObject({ added: [], changed: [{ name: 'one/v1' }], removed: [] });
    expect(ids(change.providers.kept)).toEqual(['p', 'q', 'r']);
  });

  it('tells of secrets by name', async () => {
    expect((await changedTo((old) => old, { A: 'b' })).secrets).toEqual(['a']);
    const other = await changedTo((old) => old.replace('a: {env: A}', 'b: {env: A}'));
    expect(other.secrets).toEqual(['a', 'b']);
  });

  it('tells of keys by name, where callers had to show one before', async () => {
    const hash = (digit: string) => digit.repeat(64);
    const keys = (...list: string[]) => `port: 1, keys: [${list.join(', ')}]`;
    const key = (name: string, digit: string, role = 'viewer') =>
      `{name: ${name}, role: ${role}, hash: '${hash(digit)}'}`;
    const first = text.replace('port: 1', keys(key('a', '1'), key('b', '2'), key('c', '3')));
    const second = text.replace('port: 1', keys(key('a', '1'), key('b', '2', 'admin'), key('d', '4')));
    const change = diffConfigs(await load(first, { env }), await load(second, { env }));
    expect([...change.keys].sort()).toEqual(['b', 'c', 'd']);
    expect(change.restart).toEqual([]);
    expect(changesAnything(change)).toBe(true);
    const began = diffConfigs(before, await load(first, { env }));
    expect(began.keys).toEqual([]);
    expect(began.restart).toContain('server.keys[0].name');
  });

  it('names every setting that needs a restart', async () => {
    const change = await changedTo(
      (old) => `${old.replace('port: 1', 'port: 2, allowed_hosts: [x]')}store: {path: other.db}\n`,
    );
    expect(change.restart).toEqual([
      'server.port',
      'server.allowed_hosts',
      'store.path',
      'server.allowed_hosts[0]',
    ]);
    expect(changesAnything(change)).toBe(false);
  });
});
