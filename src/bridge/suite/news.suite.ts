import { describe, expect, it } from 'vitest';
import type { Broker, News } from '../broker.ts';
import { connections } from './connections.suite.ts';
import { Arrivals, type BrokerHarness, numbered, text } from './harness.suite.ts';

async function listen(broker: Broker, topic: string) {
  const came = new Arrivals<News>();
  const consumer = await broker.subscribe(topic, (news) => came.add(news));
  return { came, consumer };
}

/** What everyone hears. */
export function newsSuite(harness: () => BrokerHarness): void {
  const { prepared } = connections(harness);

  describe('news', () => {
    it('comes to everyone who listens, in order, from then on', async () => {
      const { broker, topic, another } = await prepared('news');
      await broker.publish(topic, [{ key: 'k', value: 'missed' }]);
      const listeners = [await listen(broker, topic), await listen(await another(), topic)];
      await broker.publish(topic, numbered(100));
      for (const { came } of listeners) {
        await came.count(100);
        expect(came.items.map(text)).toEqual(numbered(100).map(({ value }) => value));
      }
    });

    it('brings key, bytes and headers', async () => {
      const { broker, topic } = await prepared('news');
      const { came } = await listen(broker, topic);
      const value = Uint8Array.from([0xff, 0xfe, 0x00]);
      await broker.publish(topic, [{ key: 'wer', value, headers: { a: 'b' } }]);
      await came.count(1);
      expect(came.items.map((news) => [news.key, [...news.value], news.headers])).toEqual([
        ['wer', [...value], { a: 'b' }],
      ]);
    });

    it('is not brought to those who stopped', async () => {
      const { broker, topic, another } = await prepared('news');
      const [stays, goes] = [await listen(broker, topic), await listen(await another(), topic)];
      await broker.publish(topic, numbered(1));
      await Promise.all([stays.came.count(1), goes.came.count(1)]);
      await goes.consumer.stop(2000);
      await broker.publish(
        topic,
        numbered(1, () => 'k', 1),
      );
      await stays.came.count(2);
      expect(goes.came.items.length).toBe(1);
    });
  });
}
