import { afterEach, describe, expect, it } from 'vitest';
import { errorRecord } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { InProcessBroker } from '../in-process/broker.ts';
import { InProcessWorld } from '../in-process/world.ts';
import { writeKept, writeUpdates } from '../messages/news.ts';
import { defaultTopics } from '../topics.ts';
import { HandBridge, keepFor, openSite, type Site, valuesOn } from './site.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(options: Parameters<typeof openSite>[0] = {}) {
  const site = await openSite(options);
  ends.push(site.close);
  if (options?.folder === undefined) ends.unshift(site.remove);
  return site;
}

async function bridgeAt({ world }: Pick<Site, 'world'>): Promise<HandBridge> {
  const broker = new InProcessBroker(world);
  const bridge = new HandBridge(broker);
  await bridge.start();
  ends.push(() => broker.close(0));
  return bridge;
}

async function submit({ engine }: Site, fields: object = {}): Promise<string> {
  const task = { protocol: 'echo/v1', method: 'echo', params: { n: 1 }, ...fields };
  const { tasks } = await engine.submit(task);
  const [accepted] = tasks;
  if (accepted === undefined) throw new Error('nothing was accepted');
  return accepted[1];
}

const outcome = ({ engine }: Site, task_id: string) => engine.result(task_id, 20_000);
const done = (value: Json) => ({ word: 'done', result: JSON.stringify(value) }) as const;

async function eventsOf({ store }: Site, task_id: string): Promise<string[]> {
  const { events } = await store.reads.events({ after: 0, limit: 1000, task_id });
  return events.map(({ event }) => event);
}

describe('a call that leaves through a broker', () => {
  it('comes to a bridge with all it takes, and its result comes back', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const task_id = await submit(site, { timeout: 7 });
    const task = await bridge.task();
    expect(task).toMatchObject({
      ...{ run_id: task_id, task_id, agent_name: 'echo-1', input_data: { n: 1 } },
      correlation_id: `${task_id}/1`,
      ours: { protocol: 'echo/v1', method: 'echo', engine: 'engine-1', timeout_ms: 7000, secrets: false },
    });
    await bridge.answer(task, done({ n: 1 }));
    expect(await outcome(site, task_id)).toMatchObject({ status: 'completed', result: '{"n":1}' });
  });

  it('is recorded once, however often its result comes', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const task_id = await submit(site);
    await bridge.answer(await bridge.task(), done(7), { times: 5 });
    expect(await outcome(site, task_id)).toMatchObject({ status: 'completed', result: '7' });
    await expect.poll(() => site.broker.lag('gleitzeit-engines', defaultTopics.results)).toBe(0);
    expect((await eventsOf(site, task_id)).filter((event) => event === 'task:completed')).toHaveLength(1);
  });

  it('is tried again in another name where it failed', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const task_id = await submit(site, { retry_config: { max_attempts: 2, initial_delay: 0 } });
    await bridge.answer(await bridge.task(0), { word: 'failed', error: errorRecord('GLZ2002', 'cut off') });
    const second = await bridge.task(1);
    expect(second.correlation_id).toBe(`${task_id}/2`);
    // What comes late of the first is not taken for the second.
    await bridge.answer(await bridge.task(0), done('late'));
    await bridge.answer(second, done('right'));
    expect(await outcome(site, task_id)).toMatchObject({ status: 'completed', result: '"right"' });
  });

  it('hides secrets on its way, both ways', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    await keepFor(site.broker, defaultTopics.results);
    const task_id = await submit(site, { method: 'hush', params: { word: 'open-sesame' } });
    const task = await bridge.task();
    expect(JSON.stringify(task)).not.toContain('open-sesame');
    expect(task.ours.secrets).toBe(true);
    await bridge.answer(task, done({ word: 'another-word' }), { secret: true });
    const settled = await outcome(site, task_id);
    expect(settled).toMatchObject({ status: 'completed' });
    const [raw] = await valuesOn(site.broker, defaultTopics.results, 1);
    expect(JSON.stringify(raw)).not.toContain('another-word');
  });

  it('is taken up by the engine that comes after one that died', async () => {
    const world = new InProcessWorld();
    const first = await openSite({ world });
    ends.unshift(first.remove);
    const bridge = await bridgeAt(first);
    const task_id = await submit(first);
    const task = await bridge.task();
    await expect.poll(async () => (await first.store.reads.task(task_id))?.task.status).toBe('routed');
    await first.close();
    await bridge.answer(task, done('kept for it'));
    const second = await open({ world, folder: first.folder });
    expect(await outcome(second, task_id)).toMatchObject({ status: 'completed', result: '"kept for it"' });
  });

  it('is told of while it runs, and keeps what it has to', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const task_id = await submit(site);
    const { ours } = await bridge.task();
    await expect.poll(async () => (await site.store.reads.task(task_id))?.task.status).toBe('routed');
    const update = { ...ours.name, bridge: 'b', at_ms: 0, kind: 'started', ago_ms: 1 } as const;
    await bridge.say(defaultTopics.updates, [
      ...writeUpdates('another', [update], 10_000),
      ...writeUpdates('engine-1', [update], 10_000),
    ]);
    await expect.poll(async () => (await site.store.reads.task(task_id))?.task.status).toBe('executing');
    await bridge.say(defaultTopics.kept, [
      writeKept({ ...ours.name, provider: 'echo-1', kept: { job: 1 } }, 0),
    ]);
    await expect.poll(() => eventsOf(site, task_id)).toContain('task:kept');
  });

  it('is called back where its task is cancelled', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const task_id = await submit(site);
    await bridge.task();
    await expect.poll(async () => (await site.store.reads.task(task_id))?.task.status).toBe('routed');
    await site.engine.cancelTask(task_id);
    await bridge.until(({ cancelled }) => cancelled.length > 0);
    expect(bridge.cancelled).toEqual([`${task_id}/1`]);
  });
});

describe('while the broker is away', () => {
  it('calls wait without an attempt, and leave when it is back', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const before = await submit(site);
    await bridge.answer(await bridge.task(), done(1));
    await outcome(site, before);
    site.world.goAway();
    const task_id = await submit(site);
    await expect.poll(async () => (await site.store.reads.task(task_id))?.task.parked).toContain('broker');
    expect(site.lines.some(([, message]) => message.includes('broker is away'))).toBe(true);
    site.world.comeBack();
    const task = await bridge.task(1);
    expect(task.correlation_id).toBe(`${task_id}/1`);
    await bridge.answer(task, done(2));
    expect(await outcome(site, task_id)).toMatchObject({ status: 'completed', result: '2' });
  });

  it('an engine starts all the same, and its calls leave once it is there', async () => {
    const world = new InProcessWorld();
    world.goAway();
    const site = await open({ world });
    const task_id = await submit(site);
    await expect.poll(async () => (await site.store.reads.task(task_id))?.task.parked).toContain('broker');
    world.comeBack();
    const bridge = await bridgeAt(site);
    await bridge.answer(await bridge.task(), done(2));
    expect(await outcome(site, task_id)).toMatchObject({ status: 'completed' });
  });
});

describe('what stands on the results topic', () => {
  it('is put aside where it cannot be read, and what comes after it is taken', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const task_id = await submit(site);
    const task = await bridge.task();
    const key = task.correlation_id;
    await bridge.say(defaultTopics.results, [{ key, value: '{"run_id":1' }]);
    await bridge.say(defaultTopics.results, [{ key, value: '{"run_id":1}' }]);
    await bridge.answer(task, done(1));
    expect(await outcome(site, task_id)).toMatchObject({ status: 'completed' });
    const letters = await valuesOn(site.broker, defaultTopics.dead_letters, 2);
    expect(letters).toMatchObject(
      [
        { topic: 'results.topic', key, value: '{"run_id":1', error_code: 'GLZ4005', reason: /JSON/ },
        {
          topic: 'results.topic',
          key,
          value: '{"run_id":1}',
          error_code: 'GLZ4006',
          reason: /run_id|task_id/,
        },
      ].map((letter) => ({ ...letter, reason: expect.stringMatching(letter.reason) })),
    );
    await expect.poll(() => site.broker.lag('gleitzeit-engines', defaultTopics.results)).toBe(0);
  });

  it('is acknowledged where it is nobody’s', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const foreign = { run_id: 'r', task_id: 't', status: 'SUCCESS', output_data: {}, correlation_id: 'c' };
    const gone = { ...foreign, task_id: 'gone', correlation_id: 'gone/1' };
    await bridge.say(
      defaultTopics.results,
      [foreign, gone].map((value) => ({ key: 'c', value: JSON.stringify(value) })),
    );
    await expect.poll(() => site.broker.lag('gleitzeit-engines', defaultTopics.results)).toBe(0);
    expect(
      site.lines.filter(([level, message]) => level === 'debug' && message.includes('nothing of ours')),
    ).toHaveLength(1);
  });

  it('is taken from bridges of others', async () => {
    const site = await open();
    const bridge = await bridgeAt(site);
    const task_id = await submit(site);
    const { run_id, correlation_id } = await bridge.task();
    const value = JSON.stringify({
      run_id,
      task_id,
      status: 'SUCCESS',
      output_data: { text: 'hi' },
      correlation_id,
    });
    await bridge.say(defaultTopics.results, [{ key: correlation_id, value }]);
    expect(await outcome(site, task_id)).toMatchObject({ status: 'completed', result: '{"text":"hi"}' });
  });
});

it('a call that is too large for the broker fails and says so', async () => {
  const site = await open();
  const task_id = await submit(site, { params: { text: 'x'.repeat(1_100_000) } });
  const settled = await outcome(site, task_id);
  expect(settled).toMatchObject({ status: 'failed', error: { data: { error_code: 'GLZ1007' } } });
});
