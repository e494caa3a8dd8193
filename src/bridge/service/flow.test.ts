import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentDefaults, taskRetryOf } from '../../core/agent.ts';
import { SEALED } from '../../core/secrets.ts';
import { systemTimers } from '../../embedded/system.ts';
import { TestProvider } from '../../engine/testing/provider.suite.ts';
import { AsideBroker } from '../aside/broker.ts';
import { InProcessBroker } from '../in-process/broker.ts';
import { silent } from '../suite/real.suite.ts';
import { agent, BridgeWorld, cipher, foreignTask, ownTask, topics } from './service.suite.ts';

let world: BridgeWorld;
beforeEach(async () => {
  world = await BridgeWorld.open(1);
});
afterEach(() => world.close());

function called(provider: TestProvider, count: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => provider.calls.length >= count && resolve();
    provider.onCall = look;
    look();
  });
}

describe('calls of one partition', () => {
  it('run side by side, so many of one agent at a time, and a slow one delays no other', async () => {
    const [slow, quick] = [agent('Slow'), agent('Quick')];
    quick.reply = () => ({ word: 'done', result: '{}' });
    const { service } = await world.bridge([slow, quick], { options: { concurrency: 2 } });
    const many = (name: string, count: number) => Array.from({ length: count }, () => foreignTask(name));
    await world.send(...many('Slow', 5), ...many('Quick', 20));
    await world.results.until(({ length }) => length === 20);
    expect(slow.calls).toHaveLength(2);
    expect(service.status).toMatchObject({ running: 2, waiting: 3, held: 5 });
    // Nothing is acknowledged past what has not ended.
    expect(await world.lag()).toBe(25);
    for (let n = 0; n < 5; n++) {
      await called(slow, n + 1);
      slow.calls[n]?.done({});
    }
    await world.done();
    expect(slow.most).toBe(2);
  });

  it('wait at the broker while there is no room for more of them', async () => {
    const slow = agent('Slow');
    const { service } = await world.bridge([slow], { options: { most_bytes: 1000 } });
    await world.send(foreignTask('Slow', { input_data: { text: 'x'.repeat(1500) } }));
    await called(slow, 1);
    await world.send(...Array.from({ length: 20 }, () => foreignTask('Slow')));
    // Each answer of the broker takes a turn, in which more would have come.
    for (let turn = 0; turn < 20; turn++) await world.lag();
    expect(service.status.held).toBe(1);
    slow.reply = () => ({ word: 'done', result: '{}' });
    slow.calls[0]?.done({});
    await world.done();
    expect(service.status).toEqual({ running: 0, waiting: 0, held: 0, held_bytes: 0 });
  });
});

describe('a task whose content lies in a store that the bridge does not have', () => {
  const aside = (put: (key: string) => void = () => {}) =>
    new AsideBroker({
      broker: new InProcessBroker(world.world, { largest_message: 2000 }),
      place: { put: async (key) => put(key), get: async () => null, remove: async () => {} },
      ...{ timers: systemTimers, logger: silent, now: () => 1 },
    });

  it('fails at once, with what to do about it, and the partition goes on', async () => {
    const provider = new TestProvider();
    provider.reply = () => ({ word: 'done', result: '1' });
    await world.bridge([provider]);
    const { message, name, correlation_id } = ownTask({ params: { text: 'x'.repeat(3000) } });
    const puts: string[] = [];
    await aside((key) => puts.push(key)).publish(topics.tasks, [message]);
    await world.send(ownTask().message);
    await world.results.until(({ length }) => length === 2);
    expect(world.results.items.find(({ status }) => status === 'FAILURE')).toMatchObject({
      ...{ task_id: name.task_id, correlation_id, provider: null },
      answer: {
        error: { data: { error_code: 'GLZ1007', hint: expect.stringContaining('GLEITZEIT_STORE_URL') } },
      },
    });
    await world.done();
    expect([puts.length, provider.calls.length, world.letters.items.length]).toEqual([1, 1, 0]);
  });

  it('is a dead letter where nothing else is known of it', async () => {
    await world.bridge([]);
    const { message } = ownTask({ params: { text: 'x'.repeat(3000) } });
    await aside().publish(topics.tasks, [{ key: message.key, value: message.value }]);
    await world.letters.until(({ length }) => length === 1);
    await world.done();
    expect(world.letters.items[0]).toMatchObject({ error_code: 'GLZ1007' });
  });
});

describe('a result', () => {
  it('that the broker could not take is told as a failure', async () => {
    const provider = new TestProvider();
    provider.reply = () => ({ word: 'done', result: JSON.stringify('x'.repeat(5000)) });
    await world.bridge([provider], { broker: { largest_message: 4000 } });
    await world.send(ownTask().message);
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({
      ...{ status: 'FAILURE', answer: { error: { data: { error_code: 'GLZ2005' } } } },
    });
    await world.done();
  });

  it('waits for a broker that is away, and its task is not done with before', async () => {
    const provider = new TestProvider();
    await world.bridge([provider], { broker: { publish_timeout_ms: 5 } });
    await world.send(ownTask().message);
    await called(provider, 1);
    world.world.goAway();
    provider.calls[0]?.done({ n: 1 });
    await new Promise<void>((resolve) => {
      const look = () =>
        world.log.some(({ message }) => message.includes('could not be published'))
          ? resolve()
          : setImmediate(look);
      look();
    });
    world.world.comeBack();
    await world.results.until(({ length }) => length === 1);
    await world.done();
    expect(provider.calls).toHaveLength(1);
  });

  it('of a call with secrets is sealed, and what is said of a failure shows none', async () => {
    const secret = 'a-very-secret-word';
    const sealed = () => ({
      params: JSON.stringify({ password: { [SEALED]: cipher.seal(JSON.stringify(secret)) } }),
      ...{ response: null, callback: null, secrets: true },
    });
    const provider = new TestProvider();
    provider.reply = ({ params, method }) =>
      method === 'login'
        ? { word: 'done', result: JSON.stringify({ token: params['password'] ?? null }) }
        : {
            word: 'failed',
            error: { code: 1, message: `not ${params['password']}`, data: { error_code: 'GLZ2010' } },
          };
    await world.bridge([provider]);
    await world.send(ownTask({ method: 'login', sealed }).message, ownTask({ sealed }).message);
    await world.results.until(({ length }) => length === 2);
    expect(JSON.stringify(world.results.items)).not.toContain(secret);
    const output = world.results.items.find(({ status }) => status === 'SUCCESS')?.['output_data'];
    expect(cipher.open((output as { [SEALED]: string })[SEALED])).toBe(JSON.stringify({ token: secret }));
    expect(JSON.stringify(world.log)).not.toContain(secret);
  });
});

describe('a bridge that goes', () => {
  it('finishes what it has begun, and leaves the rest to others', async () => {
    const [here, there] = [agent('A'), agent('A')];
    const { service } = await world.bridge([here], { options: { concurrency: 1 } });
    await world.send(foreignTask('A', { task_id: 'begun' }), foreignTask('A', { task_id: 'waiting' }));
    await called(here, 1);
    const stopped = service.stop(60_000);
    here.calls[0]?.done({ by: 'here' });
    await stopped;
    there.reply = () => ({ word: 'done', result: '{"by":"there"}' });
    await world.bridge([there]);
    await world.results.until(({ length }) => length === 2);
    expect(world.results.items).toMatchObject([
      { task_id: 'begun', output_data: { by: 'here' } },
      { task_id: 'waiting', output_data: { by: 'there' } },
    ]);
    expect(here.calls).toHaveLength(1);
  });

  it('leaves at once what only waits to be called again', async () => {
    const writer = agent('Writer');
    const retry_config = { ...agentDefaults.retry_config, initial_delay_ms: 60_000, max_delay_ms: 60_000 };
    const { service } = await world.bridge([writer], { callee: { retry: taskRetryOf({ retry_config }) } });
    await world.send(foreignTask('Writer'));
    await called(writer, 1);
    writer.calls[0]?.failed('GLZ2002', 'no connection');
    await expect.poll(() => world.observed).toContain('retried Writer');
    await service.stop(60_000);
    expect(world.observed).toContain('dropped lost');
    expect(await world.lag()).toBe(1);
  });

  it('ends what takes too long without a word, and another one makes the call', async () => {
    const [here, there] = [new TestProvider(), new TestProvider()];
    const { service } = await world.bridge([here]);
    await world.send(ownTask().message);
    await called(here, 1);
    await service.stop(5);
    expect(here.calls[0]?.signal.reason).toMatchObject({ code: 'GLZ9002' });
    expect(world.results.items).toEqual([]);
    there.reply = () => ({ word: 'done', result: '1' });
    await world.bridge([there]);
    await world.results.until(({ length }) => length === 1);
    await world.done();
  });

  it('at once, by kill -9, loses nothing', async () => {
    const [here, there] = [new TestProvider(), new TestProvider()];
    const { broker } = await world.bridge([here]);
    await world.send(ownTask().message, ownTask().message);
    await called(here, 2);
    broker.kill();
    there.reply = () => ({ word: 'done', result: '1' });
    await world.bridge([there]);
    await world.results.until(({ length }) => length === 2);
    await world.done();
    expect(there.calls).toHaveLength(2);
  });

  it('gives way to one that comes: what it lost it does not begin', async () => {
    world = await BridgeWorld.open(2);
    const [here, there] = [agent('A'), agent('A')];
    await world.bridge([here], { options: { concurrency: 1 } });
    const tasks = Array.from({ length: 12 }, (_, n) =>
      foreignTask('A', { run_id: `run-${n}`, task_id: `task-${n}` }),
    );
    await world.send(...tasks);
    await called(here, 1);
    there.reply = () => ({ word: 'done', result: '{}' });
    await world.bridge([there]);
    await called(there, 1);
    here.reply = there.reply;
    here.calls[0]?.done({});
    await world.done();
    const told = () => new Set(world.results.items.map(({ task_id }) => task_id)).size;
    await world.results.until(() => told() === 12);
    expect(here.calls.length + there.calls.length).toBeLessThanOrEqual(13);
  });

  it('another one goes on from what was kept, where the store can tell', async () => {
    const [here, there] = [new TestProvider(), new TestProvider()];
    const { broker } = await world.bridge([here]);
    await world.send(ownTask().message);
    await called(here, 1);
    broker.kill();
    there.reply = ({ kept = null }) => ({ word: 'done', result: JSON.stringify({ kept }) });
    await world.bridge([there], { parts: { keptOf: async () => ({ job: 3 }) } });
    await world.results.until(({ length }) => length === 1);
    expect(world.results.items[0]).toMatchObject({ output_data: { kept: { job: 3 } } });
  });
});
