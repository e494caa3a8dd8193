import { expect, it } from 'vitest';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import { cipher } from '../../engine/testing/world.suite.ts';
import { InProcessBroker } from '../in-process/broker.ts';
import { InProcessWorld } from '../in-process/world.ts';
import { outgoingCall, providerNamed } from '../messages/testing.suite.ts';
import { take, text } from '../suite/harness.suite.ts';
import { silent } from '../suite/real.suite.ts';
import { defaultGroups, defaultTopics, dispatchTopics } from '../topics.ts';
import { BrokerDispatch } from './broker-dispatch.ts';
import { noExecutorObserver } from './observer.ts';
import type { ExecutorParts } from './parts.ts';
import { WorkTaker } from './work.ts';

const topics = defaultTopics;

async function site() {
  const broker = new InProcessBroker(new InProcessWorld());
  await broker.ensure(dispatchTopics(topics, defaultGroups, 1));
  // What would be a pause is none.
  const timers = { ...systemTimers, after: (_: number, call: () => void) => systemTimers.after(0, call) };
  const parts: ExecutorParts = {
    ...{ name: 'engine-1', broker, cipher, clock: systemClock, timers, logger: silent },
    observer: noExecutorObserver,
    options: { topics, groups: defaultGroups, partitions: 1, wait_ms: 60_000, most_unacknowledged: 10 },
  };
  return { broker, parts };
}

it('what nobody can read is not done with before it stands among the dead letters', async () => {
  const { broker, parts } = await site();
  const tries: number[] = [];
  const publish = broker.publish.bind(broker);
  broker.publish = async (topic, messages) => {
    if (topic === topics.dead_letters) tries.push(await broker.lag(defaultGroups.engines, topics.results));
    if (topic === topics.dead_letters && tries.length < 3) throw new Error('not now');
    return publish(topic, messages);
  };
  const read = () => {
    throw new Error('unreadable');
  };
  const taker = new WorkTaker(parts, { topic: topics.results, read, take: async () => null });
  await taker.start();
  await broker.publish(topics.results, [{ key: 'k', value: 'x' }]);
  await expect.poll(() => broker.lag(defaultGroups.engines, topics.results)).toBe(0);
  expect(tries).toEqual([1, 1, 1]);
  await taker.stop(100);
  await broker.close(0);
});

it('a call says when nobody waits for it any more: when its task has no time left, or its attempt', async () => {
  const { broker, parts } = await site();
  const dispatch = new BrokerDispatch(parts);
  await dispatch.ready();
  const { came } = await take(broker, { topic: topics.tasks, group: defaultGroups.bridges });
  for (const expires_in_ms of [5000, null, 900_000])
    await dispatch.send(providerNamed('p'), outgoingCall({ timeout_ms: 30_000, expires_in_ms }));
  await came.count(3);
  const left = came.items.map((item) => {
    const { timestamp, expires_at } = JSON.parse(text(item)) as Record<string, string>;
    return Date.parse(expires_at ?? '') - Date.parse(timestamp ?? '');
  });
  expect(left).toEqual([5000, 90_000, 90_000]);
  dispatch.close();
  await broker.close(0);
});
