import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SampleAgent, startAgent } from '../../test/agents/start.ts';
import { InProcessBroker } from '../bridge/in-process/broker.ts';
import { InProcessWorld } from '../bridge/in-process/world.ts';
import { Arrivals, text } from '../bridge/suite/harness.suite.ts';
import { defaultGroups, defaultTopics, dispatchTopics } from '../bridge/topics.ts';
import type { JsonObject } from '../core/json.ts';
import { type Bridge, startBridge } from './bridge.ts';
import { loadServerConfig } from './load.ts';

let agent: SampleAgent;
let world: InProcessWorld;
let results: Arrivals<JsonObject>;
let client: InProcessBroker;
const bridges: Bridge[] = [];

beforeEach(async () => {
  agent = await startAgent('node');
  world = new InProcessWorld();
  client = new InProcessBroker(world);
  results = new Arrivals();
  await client.ensure(dispatchTopics(defaultTopics, defaultGroups, 3));
  const options = { topic: defaultTopics.results, group: defaultGroups.engines, most_unacknowledged: 100 };
  await client.consume(options, (deliveries) => {
    for (const delivery of deliveries) delivery.ack();
    results.add(deliveries.map((delivery) => JSON.parse(text(delivery)) as JsonObject));
  });
});

afterEach(async () => {
  for (const bridge of bridges.splice(0)) await bridge.stop();
  await client.close(0);
  await agent.stop();
});

async function start(agents: readonly object[], more: object = {}): Promise<Bridge> {
  const cwd = mkdtempSync(join(tmpdir(), 'gleitzeit-bridge-'));
  const file = join(cwd, 'gleitzeit.yaml');
  const settings = { agents, logging: { level: 'silent' }, bridge: { port: 0, stop_timeout: '2s' }, ...more };
  writeFileSync(file, JSON.stringify(settings));
  const config = await loadServerConfig({ file, env: {}, cwd, database_url: true });
  const bridge = await startBridge({ config, environment: {}, broker: new InProcessBroker(world) });
  bridges.push(bridge);
  return bridge;
}

function send(...tasks: readonly object[]): Promise<void> {
  const messages = tasks.map((task, n) => ({
    key: 'run',
    value: JSON.stringify({
      ...{ run_id: 'run', task_id: `t${n}`, correlation_id: `c${n}`, timestamp: '2026-01-31T12:00:00' },
      ...task,
    }),
  }));
  return client.publish(defaultTopics.tasks, messages);
}

const speaking = (name: string, protocol: string) => ({ name, protocol, url: agent.url });

describe('a bridge', () => {
  it('calls real agents in what they speak, for executors it knows nothing of', async () => {
    await start([speaking('Simple', 'simple-a2a'), speaking('Full', 'jsonrpc-2.0')]);
    await send(
      { agent_name: 'Simple', input_data: { text: 'hello' } },
      { agent_name: 'Full', input_data: { text: 'hello' } },
    );
    await results.until(({ length }) => length === 2);
    const texts = results.items.map(({ status, output_data }) => [
      status,
      (output_data as JsonObject)['text'],
    ]);
    expect(texts[0]).toEqual(['SUCCESS', expect.any(String)]);
    expect(texts[1]).toEqual(texts[0]);
  });

  it('tells how it is, and what it does by the names that dashboards know', async () => {
    const { url } = await start([speaking('Simple', 'simple-a2a')]);
    await send(
      { agent_name: 'Simple', input_data: { text: 'hello' } },
      { agent_name: 'Nobody', input_data: {} },
    );
    await results.until(({ length }) => length === 2);
    const get = async (path: string) => {
      const answer = await fetch(new URL(path, url ?? ''));
      return { status: answer.status, body: await answer.text() };
    };
    expect(await get('/health')).toEqual({ status: 200, body: '{"status":"ok"}' });
    expect(await get('/ready')).toMatchObject({ status: 200 });
    const { body } = await get('/metrics');
    expect(body).toContain('agent_protocol_requests_total{protocol="simple-a2a",agent_name="Simple"} 1');
    expect(body).toContain('gleitzeit_bridge_messages_total{kind="foreign"} 2');
    expect(body).toMatch(/^gleitzeit_bridge_lag\{group="http-bridge"\} \d+$/m);
    expect(body).toMatch(
      /gleitzeit_bridge_call_duration_seconds_count\{agent_name="Nobody",outcome="transport"\} 1/,
    );
    world.goAway();
    expect(await get('/ready')).toMatchObject({ status: 503 });
    world.comeBack();
  });

  it('tries an agent that is away again as its entry says', async () => {
    const retry_config = { max_retries: 1, initial_delay_ms: 1, max_delay_ms: 1 };
    await start([{ name: 'Away', url: 'http://127.0.0.1:1', retry_config }]);
    await send({ agent_name: 'Away', input_data: { text: 'hello' } });
    await results.until(({ length }) => length === 1);
    expect(results.items[0]).toMatchObject({ status: 'FAILURE', output_data: null });
    expect(results.items[0]?.['error_message']).toMatch(/./);
  });

  it('opens no file of an engine, and starts no program', async () => {
    const script = { command: ['node', '-e', 'process.exit(3)'] };
    const protocols = [
      {
        name: 'run/v1',
        methods: { go: {} },
        providers: [{ id: 'program', type: 'jsonrpc-stdio', config: script }],
      },
    ];
    const bridge = await start([], { protocols });
    expect(bridge.status()).toEqual({ running: 0, waiting: 0, held: 0, held_bytes: 0 });
  });
});
