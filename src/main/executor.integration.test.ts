import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SampleAgent, startAgent } from '../../test/agents/start.ts';
import { call } from '../../test/server/call.ts';
import { settledTask } from '../../test/server/echo.ts';
import { sharedService } from '../../test/services/shared.ts';
import type { Broker } from '../bridge/broker.ts';
import { InProcessBroker } from '../bridge/in-process/broker.ts';
import { InProcessWorld } from '../bridge/in-process/world.ts';
import { Arrivals, text } from '../bridge/suite/harness.suite.ts';
import { openReal, type RealBroker } from '../bridge/suite/real.suite.ts';
import { defaultTopics, requestTopics } from '../bridge/topics.ts';
import type { JsonObject } from '../core/json.ts';
import { startBridge } from './bridge.ts';
import { loadServerConfig } from './load.ts';
import { startServer } from './server.ts';

const ends: (() => Promise<void> | void)[] = [];
let agent: SampleAgent;

beforeEach(async () => {
  agent = await startAgent('node');
  ends.push(async () => void (await agent.stop()));
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Kind = 'in-process' | RealBroker;

/** Where the broker is, by what the configuration calls it, and a client of it that is nobody of ours. */
async function reach(kind: Kind) {
  if (kind === 'in-process') {
    const world = new InProcessWorld();
    const connect = async (): Promise<Broker> => new InProcessBroker(world);
    return { dispatch: { type: 'kafka', brokers: ['127.0.0.1:1'] }, connect, given: connect };
  }
  const address = await sharedService(kind);
  const where = kind === 'kafka' ? { brokers: [address] } : { url: address };
  const connect = () => openReal(kind, address);
  return { dispatch: { type: kind, ...where }, connect, given: async () => undefined };
}

/** A server and a bridge with the same configuration, and a client on the broker. */
async function open(kind: Kind) {
  const { dispatch, connect, given } = await reach(kind);
  const cwd = mkdtempSync(join(tmpdir(), 'gleitzeit-executor-'));
  ends.push(() => rmSync(cwd, { recursive: true, force: true }));
  const run = randomUUID().slice(0, 8);
  const names = Object.entries(defaultTopics).map(([key, name]) => [key, `${name}.${run}`]);
  const topics = Object.fromEntries(names) as typeof defaultTopics;
  const groups = { engine_group: `engines-${run}`, consumer_group: `bridges-${run}` };
  const more = { topics, ...groups, partitions: 3, requests: true, monitoring: true };
  const file = join(cwd, 'gleitzeit.yaml');
  const settings = {
    ...{ server: { port: 0 }, logging: { level: 'silent' }, bridge: { stop_timeout: '2s' } },
    engine: { stop_timeout: '5s' },
    dispatch: { ...dispatch, ...more },
    agents: [
      { name: 'Far', url: agent.url },
      { name: 'Near', url: agent.url, via: 'local' },
    ],
  };
  writeFileSync(file, JSON.stringify(settings));
  const load = () => loadServerConfig({ file, env: {}, cwd, database_url: true });
  const config = await load();
  const server = await startServer({ config, load, environment: {}, broker: await given() });
  ends.push(() => server.stop());
  const bridging = await given();
  const start = { config, environment: {}, ...(bridging === undefined ? {} : { broker: bridging }) };
  const bridge = await startBridge(start);
  ends.push(() => bridge.stop());
  const client = await connect();
  ends.push(() => client.close(1000));
  const { engine_group: engines, consumer_group: bridges } = groups;
  return { server, bridge, client, topics, groups: { engines, bridges } };
}

const metric = async (url: string, name: string) =>
  (await (await fetch(`${url}/metrics`)).text()).split('\n').filter((line) => line.startsWith(name));

async function submit(url: string, name: string): Promise<string> {
  const task = { agent: name, input: { text: 'hello' } };
  return (await call<{ task_id: string }>(url, 'task.submit', task)).task_id;
}

/** What stands on a topic from its beginning. */
async function listen(client: Broker, topic: string): Promise<Arrivals<JsonObject>> {
  const heard = new Arrivals<JsonObject>();
  const group = `onlooker of ${topic}`.replaceAll(' ', '-');
  await client.ensure([{ name: topic, kind: 'work', groups: [group], partitions: 3 }]);
  await client.consume({ topic, group, most_unacknowledged: 100 }, (deliveries) => {
    for (const delivery of deliveries) delivery.ack();
    heard.add(deliveries.map((delivery) => JSON.parse(text(delivery)) as JsonObject));
  });
  return heard;
}

describe.each(['in-process', 'kafka', 'redis', 'rabbitmq'] as const)('over %s', (kind) => {
  it('calls leave and come back as if they had been made here', async () => {
    const { server } = await open(kind);
    const [far, near] = [await submit(server.url, 'Far'), await submit(server.url, 'Near')];
    const [one, other] = [await settledTask(server.url, far), await settledTask(server.url, near)];
    expect(one.status).toBe('completed');
    expect(one.result).toEqual(other.result);
    const { items } = await call<{ items: { event: string; data: JsonObject }[] }>(server.url, 'event.list', {
      task_id: far,
    });
    expect(items.find(({ event }) => event === 'task:routed')?.data).toMatchObject({ via: 'bridge' });
    expect(await metric(server.url, 'gleitzeit_dispatch_published_total')).toEqual([
      'gleitzeit_dispatch_published_total{provider="agent:Far"} 1',
    ]);
    expect(await metric(server.url, 'gleitzeit_dispatch_results_total')).toEqual([
      'gleitzeit_dispatch_results_total{outcome="recorded"} 1',
    ]);
  });

  it('a plan that somebody else asks for runs, and what becomes of it is told', async () => {
    const { server, client, topics, groups } = await open(kind);
    const heard = await listen(client, topics.monitoring);
    const letters = await listen(client, topics.dead_letters);
    await client.ensure(requestTopics(topics, groups, 3));
    const tasks = [
      { id: 'one', name: 'First', agent: 'Far', input: { text: '${workflow.input.text}' } },
      { id: 'two', name: 'Then', agent: 'Far', input: { text: '${one.result.text}' }, dependencies: ['one'] },
    ];
    const request = {
      run_id: `run-${kind}`,
      workflow_plan: { name: 'asked', tasks },
      input_data: { text: 'hi' },
    };
    const ask = (value: object) => ({ key: 'k', value: JSON.stringify(value) });
    await client.publish(topics.execution_requests, [
      ask({ run_id: 'bad', workflow_plan: {} }),
      ask(request),
    ]);
    await heard.until((items) => items.filter(({ status }) => status === 'COMPLETED').length === 2);
    expect(heard.items.map(({ step_id, status }) => `${step_id} ${status}`)).toEqual([
      ...['one RUNNING', 'one COMPLETED', 'two RUNNING', 'two COMPLETED'],
    ]);
    const done = await call<JsonObject>(server.url, 'workflow.status', { workflow_id: `run-${kind}` });
    expect(done).toMatchObject({ status: 'completed', name: 'asked' });
    await letters.until(({ length }) => length === 1);
    expect(letters.items[0]).toMatchObject({ topic: topics.execution_requests, error_code: 'GLZ1002' });
  });
});
