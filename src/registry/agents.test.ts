import { describe, expect, it } from 'vitest';
import type { AgentEntry, AgentSettings } from '../core/agent.ts';
import { errorFromRpc, GleitzeitError } from '../core/errors.ts';
import type { Store } from '../core/ports/store.ts';
import type { AnswerTo, WriteKind } from '../core/writes.ts';
import { keepingLogger, type LogLine } from '../engine/testing/world.suite.ts';
import { createCipher } from '../store/cipher.ts';
import { SimulatedData } from '../store/simulated/data.ts';
import { parseAgent } from './agent-definition.ts';
import { maskAgent, openable } from './agent-record.ts';
import { type Agents, createAgents } from './agents.ts';
import { openShared } from './documents.suite.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const writer = { name: 'Writer', url: 'http://127.0.0.1:9' };
const withToken = { ...writer, auth_config: { type: 'bearer', token: 'the-token-77' } };

type Scene = { readonly agents: Agents; readonly store: Store; readonly log: LogLine[] };

function open(
  data = new SimulatedData(),
  keys = [first],
  own: () => readonly AgentEntry[] = () => [],
): Scene {
  const store = openShared(data);
  const log: LogLine[] = [];
  let count = 0;
  const agents = createAgents({
    reads: store.reads,
    write: async (write) => {
      const { verdicts } = await store.commit({ writes: [write as never], claim: null });
      const [verdict] = verdicts;
      if (verdict?.ok !== true) throw errorFromRpc(verdict?.error);
      return verdict.answer as AnswerTo<WriteKind> as never;
    },
    cipher: createCipher(() => keys),
    newId: () => `id-${++count}`,
    own,
    check: ({ protocol }: AgentSettings) => {
      if (protocol === 'nobody-speaks-it') throw new GleitzeitError('GLZ1012', 'there is no such protocol');
    },
    timers: { after: () => () => {}, soon: () => {} },
    logger: keepingLogger(log),
  });
  store.onChange((hint) => hint.agents && agents.refresh());
  return { agents, store, log };
}

function tokenOf(entry: AgentEntry | undefined, keys = [first]): string | undefined {
  if (entry === undefined) return undefined;
  return openable(
    createCipher(() => keys),
    entry,
  ).secrets['agent_0']?.();
}

describe('the pool settings of an agent', () => {
  const pool = {
    limits: { concurrency: 4, rate: '10/s' },
    weight: 2,
    tier: 1,
    zone: 'eu',
    models: ['small'],
  };

  it('are kept with it, changed key by key, and taken back', async () => {
    const data = new SimulatedData();
    const { agents } = open(data);
    await agents.create({ ...writer, ...pool });
    const { agents: later } = open(data);
    await later.load();
    expect(later.get('Writer')).toMatchObject(pool);
    await later.update('Writer', { limits: { rate: '5/s' }, zone: null });
    const { zone: _, ...rest } = pool;
    expect(later.get('Writer')).toMatchObject({ ...rest, limits: { rate: '5/s' } });
    expect(later.get('Writer')).not.toHaveProperty('zone');
    await later.update('Writer', { limits: null });
    expect(later.get('Writer')).not.toHaveProperty('limits');
  });

  it('may be missing in what was kept by an older program', async () => {
    const data = new SimulatedData();
    const { agents } = open(data);
    await agents.create(writer);
    for (const key of Object.keys(pool)) expect(agents.get('Writer')).not.toHaveProperty(key);
  });
});

describe('an agent', () => {
  it('is registered with what was left to us', async () => {
    const { agents } = open();
    const entry = await agents.create(writer);
    expect(entry).toEqual({
      ...parseAgent(writer),
      id: 'id-1',
      source: 'api',
      version: 1,
      created_at: 1000,
      updated_at: 1000,
    });
    expect(entry).toMatchObject({ protocol: 'simple-a2a', timeout: 30_000, auth_config: { type: 'none' } });
    expect(agents.get('Writer')).toEqual(entry);
    expect(agents.names()).toEqual(['Writer']);
  });

  it('has a name of its own', async () => {
    const { agents } = open();
    await agents.create(writer);
    await expect(agents.create({ ...writer, url: 'http://b' })).rejects.toMatchObject({ code: 'GLZ1011' });
  });

  it('is heard of by another engine without a restart, and looked for where it is not known yet', async () => {
    const data = new SimulatedData();
    const [one, other] = [open(data), open(data)];
    const heard = new Promise<void>((resolve) => other.agents.onChange(resolve));
    await one.agents.create(writer);
    await heard;
    expect(other.agents.get('Writer')).toMatchObject({ id: 'id-1' });
    const late = open(data);
    expect(late.agents.get('Writer')).toBe(undefined);
    expect(await late.agents.find('Writer')).toMatchObject({ id: 'id-1' });
    expect(await late.agents.find('Nobody')).toBe(undefined);
  });

  it('is changed key by key, keeps its id and its secret, and can have another dialect', async () => {
    const { agents } = open();
    await agents.create({ ...withToken, retry_config: { max_retries: 1 } });
    const changed = await agents.update('Writer', {
      protocol: 'jsonrpc-2.0',
      timeout: '5s',
      retry_config: null,
    });
    expect(changed).toMatchObject({ id: 'id-1', version: 2, protocol: 'jsonrpc-2.0', timeout: 5000 });
    expect(changed.retry_config.max_retries).toBe(3);
    expect(tokenOf(changed)).toBe('the-token-77');
    const named = await agents.update('Writer', { auth_config: { type: 'bearer', token: '***' } });
    expect(tokenOf(named)).toBe('the-token-77');
    const next = await agents.update('Writer', { auth_config: { type: 'bearer', token: 'another' } });
    expect(tokenOf(next)).toBe('another');
    expect((await agents.update('Writer', { auth_config: null })).auth_config).toEqual({ type: 'none' });
  });

  it('is not changed by who saw another version, by a secret that is not there, or to what nobody speaks', async () => {
    const { agents } = open();
    await agents.create(withToken);
    const update = (change: object, version?: number) => agents.update('Writer', change, { expect: version });
    await expect(update({ timeout: 1 }, 7)).rejects.toMatchObject({ code: 'GLZ1013' });
    const other = { auth_config: { type: 'basic', username: 'u', password: '***' } };
    await expect(update(other)).rejects.toMatchObject({
      code: 'GLZ1012',
      details: { field: '/auth_config/password' },
    });
    await expect(update({ protocol: 'nobody-speaks-it' })).rejects.toMatchObject({ code: 'GLZ1012' });
    await expect(agents.update('Wirter', {})).rejects.toMatchObject({
      code: 'GLZ1010',
      details: { hint: 'did you mean "Writer"?' },
    });
    await expect(
      agents.create({ ...withToken, name: 'B', auth_config: { type: 'bearer', token: '***' } }),
    ).rejects.toMatchObject({ code: 'GLZ1012' });
    expect(agents.get('Writer')?.version).toBe(1);
  });

  it('is changed by everybody who asks at once without naming a version', async () => {
    const data = new SimulatedData();
    const engines = [open(data), open(data)];
    await engines[0]?.agents.create(writer);
    const changes = Array.from({ length: 60 }, (_, n) =>
      engines[n % 2]?.agents.update('Writer', { timeout: n + 1 }),
    );
    const versions = (await Promise.all(changes)).map((entry) => entry?.version);
    expect(versions.sort((a, b) => Number(a) - Number(b))).toEqual(changes.map((_, n) => n + 2));
  });

  it('goes, and another of its name is another', async () => {
    const data = new SimulatedData();
    const [one, other] = [open(data), open(data)];
    await one.agents.create(writer);
    await other.agents.load();
    await one.agents.remove('Writer');
    await expect(one.agents.remove('Writer')).rejects.toMatchObject({ code: 'GLZ1010' });
    await one.agents.create({ ...writer, url: 'http://b' });
    await other.agents.load();
    expect(other.agents.get('Writer')).toMatchObject({ id: 'id-2', version: 1, url: 'http://b' });
  });

  it('that another engine removed and registered anew is taken up, though its version is the same', async () => {
    const data = new SimulatedData();
    const [here, there] = [open(data), open(data)];
    await there.agents.create(writer);
    await here.agents.load();
    // It hears of nothing in between.
    here.agents.close();
    await there.agents.remove('Writer');
    await there.agents.create({ ...writer, url: 'http://127.0.0.1:10' });
    await here.agents.load();
    expect(here.agents.get('Writer')).toMatchObject({ version: 1, url: 'http://127.0.0.1:10' });
  });

  it('of the configuration wins, and is not changed from outside', async () => {
    const own: AgentEntry[] = [];
    const { agents } = open(undefined, undefined, () => own);
    await agents.create(writer);
    let told = 0;
    agents.onChange(() => told++);
    own.push({
      ...parseAgent({ ...writer, url: 'http://file' }),
      id: 'f',
      source: 'file',
      version: 0,
      created_at: null,
      updated_at: null,
    });
    agents.configured();
    expect(told).toBe(1);
    expect(agents.get('Writer')).toMatchObject({ source: 'file', url: 'http://file' });
    for (const attempt of [agents.create(writer), agents.update('Writer', {}), agents.remove('Writer')])
      await expect(attempt).rejects.toMatchObject({ code: 'GLZ1011' });
    own.pop();
    agents.configured();
    expect(agents.get('Writer')).toMatchObject({ source: 'api' });
  });
});

describe('the secrets of an agent', () => {
  it('are stored sealed and shown to nobody', async () => {
    const { agents, store } = open();
    const headers = { 'x-key': 'header-secret-12', accept: 'text/plain' };
    await agents.create({ ...withToken, protocol_config: { headers } });
    const stored = JSON.stringify(await store.reads.agent('Writer'));
    expect(stored).not.toMatch(/the-token-77|header-secret-12/);
    const entry = agents.get('Writer') as AgentEntry;
    expect(maskAgent(entry)).toMatchObject({
      auth_config: { type: 'bearer', token: '***' },
      protocol_config: { headers: { 'x-key': '***', accept: '***' } },
    });
    const { entry: told, secrets } = openable(
      createCipher(() => [first]),
      entry,
    );
    expect(told.auth_config['token']).toBe('${secrets.agent_0}');
    expect(Object.values(secrets).map((secret) => secret())).toEqual([
      'the-token-77',
      'header-secret-12',
      'text/plain',
    ]);
  });

  it('are sealed by the new key at the next start, once, and opened by it alone afterwards', async () => {
    const data = new SimulatedData();
    await open(data).agents.create(withToken);
    const rotated = open(data, [second, first]);
    await rotated.agents.load();
    await rotated.agents.reseal();
    await rotated.agents.reseal();
    expect(rotated.agents.get('Writer')?.version).toBe(2);
    const alone = open(data, [second]);
    await alone.agents.load();
    await alone.agents.reseal();
    expect(tokenOf(alone.agents.get('Writer'), [second])).toBe('the-token-77');
    expect(alone.log).toEqual([]);
  });

  it('are sealed by the new key with every change', async () => {
    const data = new SimulatedData();
    await open(data).agents.create(withToken);
    await open(data, [second, first]).agents.update('Writer', { description: 'writes' });
    const alone = open(data, [second]);
    expect(tokenOf(await alone.agents.find('Writer'), [second])).toBe('the-token-77');
  });

  it('whose key is gone keep nobody from being listed or removed', async () => {
    const data = new SimulatedData();
    await open(data).agents.create(withToken);
    const { agents, log } = open(data, [second]);
    await agents.load();
    await agents.reseal();
    expect(log).toMatchObject([{ level: 'error', fields: { agent: 'Writer' } }]);
    expect(agents.names()).toEqual(['Writer']);
    await agents.remove('Writer');
    expect(agents.names()).toEqual([]);
  });
});
