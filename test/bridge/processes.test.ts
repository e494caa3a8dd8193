import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Broker } from '../../src/bridge/broker.ts';
import { Arrivals, text } from '../../src/bridge/suite/harness.suite.ts';
import { openReal, type RealBroker } from '../../src/bridge/suite/real.suite.ts';
import { defaultTopics, dispatchTopics, type Topics } from '../../src/bridge/topics.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Program } from '../server/program.ts';
import { openScene, type Scene } from '../server/scene.ts';
import { sharedService } from '../services/shared.ts';
import { startHeldAgent } from './held-agent.ts';

const LONG_MS = 120_000;

describe.each<RealBroker>(['kafka', 'redis', 'rabbitmq'])('bridges as processes, over %s', (kind) => {
  const name = randomUUID().slice(0, 8);
  const named = (end: string) =>
    Object.fromEntries(
      Object.entries(defaultTopics).map(([key, topic]) => [key, `${topic}.${name}.${end}`]),
    ) as Topics;
  const topics = named('used');
  const where = () => (kind === 'kafka' ? { brokers: [address] } : { url: address });
  const groups = { engines: `engines-${name}`, bridges: `bridges-${name}` };
  const results = new Arrivals<JsonObject>();
  let agent: Awaited<ReturnType<typeof startHeldAgent>>;
  let scene: Scene;
  let client: Broker;
  let address: string;

  beforeAll(async () => {
    agent = await startHeldAgent();
    scene = openScene();
    address = await sharedService(kind);
    client = await openReal(kind, address);
    await client.ensure(dispatchTopics(topics, groups, 3));
    const options = { topic: topics.results, group: groups.engines, most_unacknowledged: 1000 };
    await client.consume(options, (deliveries) => {
      for (const delivery of deliveries) delivery.ack();
      results.add(deliveries.map((delivery) => JSON.parse(text(delivery)) as JsonObject));
    });
    const { engines: engine_group, bridges: consumer_group } = groups;
    scene.write('gleitzeit.yaml', {
      dispatch: { type: kind, ...where(), topics, engine_group, consumer_group, partitions: 3 },
      agents: [{ name: 'Held', url: agent.url }],
    });
  }, LONG_MS);

  afterAll(async () => {
    await client.close(1000);
    await scene.close();
    await agent.stop();
  });

  const args = () => ['--config', `${scene.folder}/gleitzeit.yaml`];

  async function start(): Promise<Program> {
    const program = scene.start(['bridge', ...args()]);
    await program.logged({ message: 'taking tasks' });
    return program;
  }

  function send(...ids: readonly string[]): Promise<void> {
    const messages = ids.map((task_id) => {
      const ids = { run_id: `run of ${task_id}`, task_id, correlation_id: `c-${task_id}` };
      return {
        key: ids.run_id,
        value: JSON.stringify({ ...ids, agent_name: 'Held', input_data: { text: 'x' } }),
      };
    });
    return client.publish(topics.tasks, messages);
  }

  const told = (ids: readonly string[]) =>
    results.until((items) => ids.every((id) => items.some(({ task_id }) => task_id === id)));

  it('answer foreign tasks, refuse what cannot be read, and go on; the broker tells how far they are', {
    timeout: LONG_MS,
  }, async () => {
    const bridge = await start();
    await client.publish(topics.tasks, [{ key: 'run of a', value: 'no JSON' }]);
    await send('a', 'b', 'c');
    await told(['a', 'b', 'c']);
    expect(results.items[0]).toMatchObject({ status: 'SUCCESS', error_message: null });
    expect((await bridge.logged({ error_code: 'GLZ4005' }))['message']).toContain('dead letters');
    while ((await client.lag(groups.bridges, topics.tasks)) > 0);
    const status = scene.start(['broker', 'status', '-o', 'json', ...args()]);
    expect(await status.ended).toMatchObject({ code: 0 });
    expect(JSON.parse(status.output())).toMatchObject({
      type: kind,
      topics: [
        { topic: topics.tasks, group: groups.bridges, lag: 0, partitions: kind === 'kafka' ? [0, 0, 0] : [] },
        ...[{}, {}],
      ],
      ...(kind === 'kafka' ? { dead_letters: 1 } : {}),
    });
    const other = scene.write('other.yaml', { dispatch: { type: kind, ...where(), topics: named('other') } });
    const unused = scene.start(['broker', 'status', '-o', 'json', '--config', other]);
    expect(await unused.ended).toMatchObject({ code: 0 });
    expect(JSON.parse(unused.output())).toMatchObject({
      topics: [{ lag: null }, { lag: null }, { lag: null }],
    });
    const doctor = scene.start(['doctor', 'broker', '-o', 'json', ...args()]);
    expect(await doctor.ended).toMatchObject({ code: 0 });
    bridge.signal('SIGTERM');
    expect(await bridge.ended).toEqual({ code: 0, signal: null });
  });

  it('that are killed lose nothing: another one makes their calls', { timeout: LONG_MS }, async () => {
    const ids = Array.from({ length: 6 }, (_, n) => `killed-${n}`);
    const first = await start();
    agent.hold();
    await send(...ids);
    await agent.until((tasks) => ids.every((id) => tasks.includes(id)));
    first.signal('SIGKILL');
    await first.ended;
    expect(results.items.some(({ task_id }) => ids.includes(String(task_id)))).toBe(false);
    agent.release();
    const second = await start();
    await told(ids);
    second.signal('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
  });

  it('that are stopped finish what they have, and leave the rest to others', {
    timeout: LONG_MS,
  }, async () => {
    const ids = Array.from({ length: 4 }, (_, n) => `stopped-${n}`);
    const [first, second] = [await start(), await start()];
    agent.hold();
    await send(...ids);
    await agent.until((tasks) => ids.every((id) => tasks.includes(id)));
    first.signal('SIGTERM');
    agent.release();
    await told(ids);
    expect(await first.ended).toEqual({ code: 0, signal: null });
    await send('after');
    await told(['after']);
    second.signal('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
  });
});
