import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Arrivals } from '../../src/bridge/suite/harness.suite.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type Reply, startService } from '../../src/dialects/rest/peer.suite.ts';
import { call } from '../server/call.ts';
import type { Program } from '../server/program.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';
import { type ForeignClient, foreignClient } from './foreign-client.ts';
import { type BrokerPlace, ownPlace } from './place.ts';

const LONG_MS = 120_000;

let scene: Scene;
let place: BrokerPlace;
let client: ForeignClient;
let service: Awaited<ReturnType<typeof startService>>;
let bridge: Program;
let engine: Server;
let results: Arrivals<JsonObject>;
let letters: Arrivals<JsonObject>;
let updates: Arrivals<JsonObject>;
/** How the agent answers tasks of a name, the next time first; done otherwise. */
const planned = new Map<string, Reply[]>();
const asked: string[] = [];

beforeAll(async () => {
  service = await startService(({ body }) => {
    const { task_id, input } = JSON.parse(body) as { task_id: string; input: { text: string } };
    asked.push(task_id);
    const output = { text: `did ${input.text}` };
    return planned.get(task_id)?.shift() ?? { json: { task_id, status: 'success', output } };
  });
  place = await ownPlace('kafka');
  client = await foreignClient(place.address, Object.values(place.topics));
  scene = openScene();
  const agents = [
    { name: 'Doer', url: service.url, retry_config: { initial_delay_ms: 1, max_delay_ms: 5000 } },
  ];
  const dispatch = { ...place.dispatch, requests: true, monitoring: true };
  engine = await scene.serve({ server: { port: 0 }, dispatch, agents });
  bridge = scene.start(['bridge', '--config', `${scene.folder}/gleitzeit.yaml`]);
  await bridge.logged({ message: 'taking tasks' });
  results = await client.hear(place.topics.results);
  letters = await client.hear(place.topics.dead_letters);
  updates = await client.hear(place.topics.monitoring);
}, LONG_MS);

afterAll(async () => {
  for (const program of [bridge, engine]) program.signal('SIGTERM');
  for (const { ended } of [bridge, engine]) expect(await ended).toEqual({ code: 0, signal: null });
  await client.close();
  await scene.close();
  await service.stop();
});

const json = (value: object) => Buffer.from(JSON.stringify(value));

/** As existing producers write them: no zone on the time, nothing that is not asked for. */
function agentTask(task_id: string, more: object = {}): Buffer {
  const ids = { run_id: `run of ${task_id}`, task_id, correlation_id: `c-${task_id}` };
  return json({
    ...{ ...ids, agent_name: 'Doer', input_data: { text: task_id }, timestamp: '2026-01-31T12:00:00.123456' },
    ...more,
  });
}

async function resultOf(task_id: string): Promise<JsonObject> {
  const mine = (item: JsonObject) => item['task_id'] === task_id;
  await results.until((items) => items.some(mine));
  return results.items.find(mine) ?? {};
}

describe('somebody with a client of Kafka and nothing of ours', { timeout: LONG_MS }, () => {
  it('gets an AgentResult for an AgentTask, with exactly the members that it knows', async () => {
    await client.send(place.topics.tasks, [agentTask('plain', { whatever: { else: [1] } })]);
    const { timestamp, ...told } = await resultOf('plain');
    expect(told).toEqual({
      ...{ run_id: 'run of plain', task_id: 'plain', correlation_id: 'c-plain' },
      ...{ status: 'SUCCESS', output_data: { text: 'did plain' }, error_message: null },
    });
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('finds what cannot be read among the dead letters with the reason, and the partition goes on', async () => {
    const deep = Buffer.from(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    const broken: readonly (readonly [Buffer | null, string])[] = [
      [Buffer.from('no JSON'), 'not JSON'],
      [Buffer.from([0xff, 0xfe]), 'not UTF-8'],
      [null, 'not JSON'],
      [json([]), 'object'],
      [agentTask('a', { agent_name: undefined }), 'agent_name'],
      [agentTask('b', { input_data: 'text' }), 'input_data'],
      [agentTask('c', { task_id: 7 }), 'task_id'],
      [agentTask('d', { timestamp: 'yesterday' }), 'timestamp'],
      [agentTask('e', { engine: 'ours', attempt: 1 }), 'AgentTask of an engine'],
      [deep, 'nested'],
    ];
    const before = letters.items.length;
    await client.send(place.topics.tasks, [...broken.map(([value]) => value), agentTask('behind')]);
    expect(await resultOf('behind')).toMatchObject({ status: 'SUCCESS' });
    await letters.count(before + broken.length);
    for (const [, reason] of broken)
      expect(letters.items.some((letter) => String(letter['reason']).includes(reason))).toBe(true);
    for (const letter of letters.items.slice(before))
      expect(letter).toMatchObject({ topic: place.topics.tasks, error_code: expect.stringMatching(/^GLZ/) });
    expect(letters.items.map((letter) => letter['value'])).toContain('no JSON');
  });

  it('hears of an agent that nobody knows, and that a call is not made again which can never work', async () => {
    planned.set('refused', [{ status: 400, json: { error: 'no' } }]);
    await client.send(place.topics.tasks, [
      agentTask('unknown', { agent_name: 'Nobody' }),
      agentTask('refused'),
    ]);
    const unknown = await resultOf('unknown');
    expect(unknown).toMatchObject({ status: 'FAILURE', output_data: null });
    expect(unknown['error_message']).toContain('Nobody');
    expect(await resultOf('refused')).toMatchObject({ status: 'FAILURE', output_data: null });
    expect(asked.filter((task_id) => task_id === 'refused')).toHaveLength(1);
  });

  it('need not try again by himself: failures that pass are, and an agent is left alone as long as it asks', async () => {
    planned.set('flaky', [{ status: 503 }, { status: 500 }]);
    planned.set('busy', [{ status: 429, headers: { 'retry-after': '1' } }]);
    await client.send(place.topics.tasks, [agentTask('flaky'), agentTask('busy')]);
    expect(await resultOf('flaky')).toMatchObject({ status: 'SUCCESS' });
    expect(asked.filter((task_id) => task_id === 'flaky')).toHaveLength(3);
    expect(await resultOf('busy')).toMatchObject({ status: 'SUCCESS' });
    const again = await bridge.logged({ message: 'a call failed and is made again', task_id: 'busy' });
    expect(again['after_ms']).toBeGreaterThanOrEqual(900);
  });

  it('has a plan run and hears of its steps; what can be no plan is among the dead letters', async () => {
    const plan = {
      name: 'asked',
      tasks: [
        { id: 'one', agent: 'Doer', input: { text: '${workflow.input.text}' } },
        { id: 'two', agent: 'Doer', input: { text: '${one.result.text}' }, dependencies: ['one'] },
      ],
    };
    const request = { run_id: 'run-1', workflow_plan: plan, input_data: { text: 'it' }, correlation_id: 'x' };
    const bad = { run_id: 'run-2', workflow_plan: { name: 'nothing', tasks: [{ id: 'a', agent: 7 }] } };
    await client.send(place.topics.execution_requests, [json(bad), json(request), json(request)]);
    const steps = (status: string) => updates.items.filter((item) => item['status'] === status);
    await updates.until(() => steps('COMPLETED').length === 2);
    expect(steps('COMPLETED').map((update) => [update['run_id'], update['step_id']])).toEqual([
      ['run-1', 'one'],
      ['run-1', 'two'],
    ]);
    const { results: given } = await call<{ results: JsonObject }>(engine.url, 'workflow.results', {
      ...{ workflow_id: 'run-1', wait: 30_000 },
    });
    expect(given).toMatchObject({ two: { text: 'did did it' } });
    const mine = (letter: JsonObject) => letter['topic'] === place.topics.execution_requests;
    await letters.until((items) => items.some(mine));
    expect(letters.items.filter(mine)).toHaveLength(1);
  });

  it('has a run end that he asked for', async () => {
    const queue = { protocol: 'agent/v1' };
    await call(engine.url, 'queue.pause', queue);
    const plan = { name: 'unwanted', tasks: [{ id: 'one', agent: 'Doer', input: { text: 'x' } }] };
    const end = { run_id: 'run-3', requested_by: 'somebody', reason: 'enough' };
    await client.send(place.topics.cancellation_requests, [json(end)]);
    await client.send(place.topics.execution_requests, [json({ run_id: 'run-3', workflow_plan: plan })]);
    await updates.until((items) => items.some((item) => item['run_id'] === 'run-3'));
    expect(updates.items.at(-1)).toMatchObject({ status: 'FAILED', metadata: { reason: 'enough' } });
    const { status } = await call<JsonObject>(engine.url, 'workflow.status', { workflow_id: 'run-3' });
    expect(status).toBe('cancelled');
    await call(engine.url, 'queue.resume', queue);
  });
});
