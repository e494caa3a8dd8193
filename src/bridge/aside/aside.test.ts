import { describe, expect, it } from 'vitest';
import { systemTimers } from '../../embedded/system.ts';
import { InProcessBroker } from '../in-process/broker.ts';
import { InProcessWorld } from '../in-process/world.ts';
import { acknowledge, freshTopic, take, text } from '../suite/harness.suite.ts';
import { silent } from '../suite/real.suite.ts';
import { AsideBroker, asideKey, timeOf } from './broker.ts';
import { type AsidePlace, STUB, withoutContent } from './place.ts';

class Memory implements AsidePlace {
  readonly contents = new Map<string, string>();
  trouble = 0;

  async put(key: string, content: string): Promise<void> {
    this.#stumble();
    this.contents.set(key, content);
  }

  async get(key: string): Promise<string | null> {
    this.#stumble();
    return this.contents.get(key) ?? null;
  }

  async remove(key: string): Promise<void> {
    this.contents.delete(key);
  }

  #stumble(): void {
    if (this.trouble === 0) return;
    this.trouble -= 1;
    throw new Error('the store is away');
  }
}

async function site() {
  const [place, bare] = [new Memory(), new InProcessBroker(new InProcessWorld(), { largest_message: 1000 })];
  // What would be a pause is none.
  const timers = { ...systemTimers, after: (_: number, call: () => void) => systemTimers.after(0, call) };
  const broker = new AsideBroker({ broker: bare, place, timers, logger: silent, now: () => 7 });
  const topic = freshTopic('work', ['g']);
  await broker.ensure([topic]);
  return { place, bare, broker, topic: topic.name };
}

const large = 'ü'.repeat(3000);

describe('messages that are too large for the broker', () => {
  it('come whole, between those that are not, and nothing stays aside when they are done with', async () => {
    const { place, broker, topic } = await site();
    const { came } = await take(broker, { topic, group: 'g' });
    await broker.publish(topic, [
      { key: 'a', value: 'small', headers: { h: '1' } },
      { key: 'b', value: large, headers: { h: '2' } },
      { key: 'c', value: Buffer.from(large) },
    ]);
    await came.count(3);
    const told = came.items.map((item) => [item.key, text(item), item.headers['h']]);
    expect(new Set(told)).toEqual(
      new Set([
        ['a', 'small', '1'],
        ['b', large, '2'],
        ['c', large, undefined],
      ]),
    );
    expect(place.contents.size).toBe(2);
    for (const delivery of came.items) delivery.ack();
    expect(place.contents.size).toBe(0);
    expect(await broker.lag('g', topic)).toBe(0);
  });

  it('are not sent where they cannot be put aside, nor is anything left of those before them', async () => {
    const { place, broker, topic } = await site();
    const put = place.put.bind(place);
    let puts = 0;
    place.put = async (key, content) => {
      puts += 1;
      if (puts === 2) throw new Error('full');
      return put(key, content);
    };
    const sending = broker.publish(topic, [
      { key: 'a', value: large },
      { key: 'b', value: large },
    ]);
    await expect(sending).rejects.toThrow('full');
    expect([await broker.lag('g', topic), place.contents.size]).toEqual([0, 0]);
  });

  it('are fetched again and again while the store is away', async () => {
    const { place, broker, topic } = await site();
    await broker.publish(topic, [{ key: 'a', value: large }]);
    place.trouble = 3;
    const { came } = await take(broker, { topic, group: 'g' }, acknowledge);
    await came.count(1);
    expect(came.items.map(text)).toEqual([large]);
  });

  it('were done with where their content is gone, and are not handed out again', async () => {
    const { place, broker, topic } = await site();
    await broker.publish(topic, [{ key: 'a', value: large }]);
    place.contents.clear();
    const { came } = await take(broker, { topic, group: 'g' }, acknowledge);
    await broker.publish(topic, [{ key: 'a', value: 'next' }]);
    await came.count(1);
    expect(came.items.map(text)).toEqual(['next']);
    await expect.poll(() => broker.lag('g', topic)).toBe(0);
  });

  it('wait while their member is paused, and go to others when it has stopped', async () => {
    const { place, broker, topic } = await site();
    const first = await take(broker, { topic, group: 'g' });
    first.consumer.pause();
    await broker.publish(topic, [{ key: 'a', value: large }]);
    await broker.lag('g', topic);
    expect(first.came.items).toEqual([]);
    first.consumer.resume();
    await first.came.count(1);
    await first.consumer.stop(100);
    first.came.items[0]?.ack();
    expect(place.contents.size).toBe(1);
    const second = await take(broker, { topic, group: 'g' }, acknowledge);
    await second.came.count(1);
    expect(second.came.items.map(text)).toEqual([large]);
  });

  it('are not fetched while their member is paused, though they came before', async () => {
    const { place, broker, topic } = await site();
    const came: string[] = [];
    const options = { topic, group: 'g', most_unacknowledged: 10 };
    const consumer = await broker.consume(options, (deliveries) => {
      came.push(...deliveries.map(({ key }) => key));
      consumer.pause();
    });
    const [first, second] = [
      { key: 'a', value: large },
      { key: 'a', value: large },
    ];
    await broker.publish(topic, [first, second]);
    await expect.poll(() => came).toHaveLength(1);
    // Several turns of everything that could bring the second.
    for (let turn = 0; turn < 20; turn++) await broker.lag('g', topic);
    expect([came.length, place.contents.size]).toEqual([1, 2]);
    consumer.resume();
    await expect.poll(() => came).toHaveLength(2);
    await consumer.stop(100);
  });

  it('are refused where they are larger than anything that is read', async () => {
    const { place, broker, topic } = await site();
    const value = 'x'.repeat(broker.largest_aside + 5000);
    await expect(broker.publish(topic, [{ key: 'a', value }])).rejects.toMatchObject({ code: 'GLZ1007' });
    expect(place.contents.size).toBe(0);
  });
});

it('whoever has no store says why it cannot read them', async () => {
  const { bare, broker, topic } = await site();
  await broker.publish(topic, [{ key: 'a', value: large, stub: 'a part' }]);
  const unfetched = await take(bare, { topic, group: 'other' });
  await unfetched.came.count(1);
  const [delivery] = unfetched.came.items;
  expect(delivery?.headers[STUB]).toBe('a part');
  expect(withoutContent(delivery ?? { headers: {} })?.message).toMatch(/lies in the store/);
  const fetched = await take(broker, { topic, group: 'g' });
  await fetched.came.count(1);
  const [whole] = fetched.came.items;
  expect(whole === undefined ? undefined : withoutContent(whole)).toBe(null);
  expect(whole?.headers).toEqual({});
});

it('names of what lies aside are in the order of time', () => {
  expect(asideKey(9, 'z') < asideKey(10, 'a')).toBe(true);
  expect(asideKey(9, 'z') < timeOf(10)).toBe(true);
  expect(asideKey(10, 'a') < timeOf(10)).toBe(false);
});
