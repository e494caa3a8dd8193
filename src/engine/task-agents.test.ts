import { describe, expect, it } from 'vitest';
import { type AgentEntry, agentDefaults } from '../core/agent.ts';
import type { KnownAgents } from '../core/ports/agents.ts';
import { createProtocols } from '../registry/protocols.ts';
import { Pools } from '../router/pools.ts';
import { done, failed, TestProvider } from './testing/provider.suite.ts';
import { World } from './testing/world.suite.ts';
import { viewTask } from './views.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

function entry(name: string, more: Partial<AgentEntry> = {}): AgentEntry {
  return {
    name,
    id: `id of ${name}`,
    url: 'http://127.0.0.1:1/',
    description: null,
    protocol_config: {},
    implements: [],
    auth_config: { type: 'none' },
    source: 'api',
    version: 1,
    created_at: 0,
    updated_at: 0,
    ...agentDefaults,
    ...more,
  };
}

/** Agents of which some are known here, and others only to the store. */
function registry(known: readonly AgentEntry[], elsewhere: readonly AgentEntry[] = []): KnownAgents {
  const named = (list: readonly AgentEntry[], name: string) => list.find((one) => one.name === name);
  return {
    get: (name) => named(known, name),
    names: () => known.map(({ name }) => name),
    find: async (name) => named(known, name) ?? named(elsewhere, name),
  };
}

function the(world: World, task_id: string) {
  const body = world.data.bodies.get(task_id);
  if (body === undefined) throw new Error(`there is no task ${task_id}`);
  return { task: world.row(task_id), body };
}

async function setUp(agents?: KnownAgents) {
  const world = new World();
  const pools = new Pools({ clock: world.time, timers: world.time, logger });
  const connect = (name: string) => {
    const provider = new TestProvider(`agent:${name}`, 'agent/v1');
    provider.reply = () => done({ text: `from ${name}` });
    pools.connect(provider);
    return provider;
  };
  const site = await world.started({ parts: { router: pools, schemas: createProtocols(), agents } });
  const submit = async (task: object) => {
    const { tasks } = await world.time.until(site.engine.submit(task));
    return tasks[0]?.[1] ?? '';
  };
  return { world, pools, connect, site, submit };
}

describe('a task that names an agent', () => {
  it('is done by that one and by nobody else', async () => {
    const { world, connect, site, submit } = await setUp();
    const [a, b] = [connect('A'), connect('B b')];
    for (let i = 0; i < 3; i++)
      expect(await world.outcome(site, await submit({ agent: 'B b', input: 'Hi' }))).toMatchObject({
        status: 'completed',
        result: '{"text":"from B b"}',
      });
    expect(a.calls).toEqual([]);
    expect(b.calls.map(({ method, params }) => ({ method, params }))).toEqual(
      Array.from({ length: 3 }, () => ({ method: 'send', params: { text: 'Hi' } })),
    );
  });

  it('is tried again there, although it failed there', async () => {
    const { world, connect, site, submit } = await setUp();
    const [a, b] = [connect('A'), connect('B')];
    a.reply = () => (a.calls.length < 3 ? failed('GLZ2002') : done({ text: 'at last' }));
    const task_id = await submit({ agent: 'A', input: 'Hi' });
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(world.row(task_id).attempts.map(({ provider }) => provider)).toEqual(Array(3).fill('agent:A'));
    expect(b.calls).toEqual([]);
  });

  it('waits for its agent while others are served, and says for whom', async () => {
    const { world, connect, site, submit } = await setUp();
    connect('A');
    const task_id = await submit({ agent: 'B', input: 'Hi' });
    await world.time.settle();
    expect(world.row(task_id)).toMatchObject({
      status: 'queued',
      attempt_count: 0,
      parked: 'provider send only=agent:B',
    });
    expect(await world.outcome(site, await submit({ agent: 'A', input: 'Hi' }))).toMatchObject({
      status: 'completed',
    });
    const record = the(world, task_id);
    expect(viewTask(record, { protocols: () => ['agent/v1'] })).toMatchObject({
      agent: 'B',
      waiting_for: { kind: 'provider', key: 'agent:B' },
    });
    expect(site.log.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'the provider that tasks name is not here; they wait for it',
        fields: { protocol: 'agent/v1', method: 'send', provider: 'agent:B' },
      },
    ]);
    connect('B');
    expect(await world.outcome(site, task_id)).toMatchObject({ result: '{"text":"from B"}' });
  });

  it('waits for its agent where there are no agents at all', async () => {
    const { world, submit } = await setUp();
    const record = the(world, await submit({ agent: 'B', input: 'Hi' }));
    expect(viewTask(record, { protocols: () => [] })).toMatchObject({
      waiting_for: { kind: 'provider', key: 'agent:B' },
    });
    expect(viewTask(record, { protocols: () => ['agent/v1'] })).toMatchObject({
      waiting_for: { kind: 'slot' },
    });
  });

  it('is refused where the registry knows no such agent, by its place among others', async () => {
    const { site } = await setUp(registry([entry('Translator'), entry('Summarizer')]));
    const unknown = { code: 'GLZ1014', details: { field: '/agent', hint: 'did you mean "Translator"?' } };
    const task = { agent: 'Translater', input: 'Hi' };
    await expect(site.engine.submit(task)).rejects.toMatchObject(unknown);
    const placed = { code: 'GLZ1014', details: { field: '/tasks/1/agent' } };
    const good = { agent: 'Summarizer', input: 'Hi' };
    await expect(site.engine.submitMany([{ task: good }, { task }])).rejects.toMatchObject(placed);
    const tasks = [
      { id: 'a', ...good },
      { id: 'b', ...task },
    ];
    await expect(site.engine.submitWorkflow({ tasks })).rejects.toMatchObject(placed);
    await expect(site.engine.submit({ agent: '__proto__' })).rejects.toMatchObject({ code: 'GLZ1014' });
  });

  it('is accepted where only the store knows the agent yet', async () => {
    const { world, site, submit } = await setUp(registry([], [entry('New')]));
    expect(world.row(await submit({ agent: 'New', input: 'Hi' }))).toMatchObject({ status: 'queued' });
    const tasks = [{ id: 'a', agent: 'New', input: 'Hi' }];
    const workflow = { name: 'w', tasks };
    const { workflow_id } = await world.time.until(site.engine.submitWorkflow(workflow));
    expect(await world.time.until(site.engine.findUnfinished(workflow, undefined))).toMatchObject({
      workflow_id,
    });
    expect(
      await world.time.until(site.engine.submitMany([{ task: { agent: 'New', input: 'Hi' } }])),
    ).toHaveLength(1);
  });

  it('takes from the entry of its agent what it does not say itself', async () => {
    const retry_config = { max_retries: 0, initial_delay_ms: 500, max_delay_ms: 2000, backoff_multiplier: 3 };
    const { world, submit } = await setUp(registry([entry('A', { timeout: 1500, retry_config })]));
    const spec = async (task: object) => world.data.bodies.get(await submit(task))?.spec;
    expect(await spec({ agent: 'A', input: 'Hi' })).toMatchObject({
      timeout: 1.5,
      retry_config: { max_attempts: 1, initial_delay: 0.5, max_delay: 2, multiplier: 3 },
    });
    expect(await spec({ agent: 'A', input: 'Hi', timeout: 9, retry_config: {} })).toMatchObject({
      timeout: 9,
      retry_config: { max_attempts: 3 },
    });
  });

  it('is the same task when it is sent again, whatever its entry says by then', async () => {
    const entries = [entry('A', { timeout: 1000 })];
    const { world, site } = await setUp(registry(entries));
    const send = () =>
      world.time.until(site.engine.submit({ agent: 'A', input: 'Hi' }, { idempotency_key: 'once' }));
    const first = await send();
    entries[0] = entry('A', { timeout: 2000 });
    expect((await send()).tasks).toEqual(first.tasks);
  });
});
