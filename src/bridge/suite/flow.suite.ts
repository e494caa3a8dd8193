import { describe, expect, it } from 'vitest';
import { connections } from './connections.suite.ts';
import { acknowledge, type BrokerHarness, freshTopic, numbered, take, text } from './harness.suite.ts';

/** How much comes, and when: bounds, pauses, sizes, the end. */
export function flowSuite(harness: () => BrokerHarness): void {
  const { connect, prepared } = connections(harness);

  describe('a member', () => {
    it('is given so much that is not acknowledged, and no more', async () => {
      const { broker, topic } = await prepared('work', 'g');
      await broker.publish(topic, numbered(200, String));
      const { came } = await take(broker, { topic, group: 'g', most_unacknowledged: 10 });
      let ended = 0;
      while (ended < 200) {
        await came.count(Math.min(ended + 10, 200));
        expect(came.items.length).toBeLessThanOrEqual(ended + 10);
        came.items[ended]?.ack();
        ended += 1;
      }
      expect(new Set(came.items.map(text)).size).toBe(200);
    });

    it('gets nothing while it is paused, and everything after', async () => {
      const { broker, topic, another } = await prepared('work', 'g', 'witness');
      const paused = await take(broker, { topic, group: 'g' }, acknowledge);
      const witness = await take(await another(), { topic, group: 'witness' }, acknowledge);
      await broker.publish(topic, numbered(5));
      await Promise.all([paused.came.count(5), witness.came.count(5)]);
      paused.consumer.pause();
      await broker.publish(
        topic,
        numbered(5, () => 'k', 5),
      );
      await witness.came.count(10);
      expect(paused.came.items.length).toBe(5);
      paused.consumer.resume();
      await paused.came.count(10);
      expect(paused.came.items.map(text)).toEqual(numbered(10).map(({ value }) => value));
    });

    it('gets nothing after it was told to be quiet, and what it acknowledges then still counts', async () => {
      const { broker, topic, another } = await prepared('work', 'g', 'witness');
      const quiet = await take(broker, { topic, group: 'g' });
      const witness = await take(await another(), { topic, group: 'witness' }, acknowledge);
      await broker.publish(topic, numbered(5));
      await quiet.came.count(5);
      await quiet.consumer.quiet();
      await broker.publish(
        topic,
        numbered(5, () => 'k', 5),
      );
      await witness.came.count(10);
      expect(quiet.came.items.length).toBe(5);
      for (const delivery of quiet.came.items) delivery.ack();
      await quiet.consumer.stop(2000);
      const next = await take(broker, { topic, group: 'g' }, acknowledge);
      await next.came.count(5);
      expect(next.came.items.map(text)).toEqual(['5', '6', '7', '8', '9']);
    });
  });

  describe('a handler that throws', () => {
    it('does not keep the next messages from coming', async () => {
      const { broker, topic } = await prepared('work', 'g');
      const seen: string[] = [];
      let [thrown, came] = [false, () => {}];
      const second = new Promise<void>((resolve) => {
        came = resolve;
      });
      await broker.consume({ topic, group: 'g', most_unacknowledged: 10 }, (deliveries) => {
        for (const delivery of deliveries) delivery.ack();
        seen.push(...deliveries.map(text));
        if (thrown) return came();
        thrown = true;
        throw new Error('a mistake of the handler');
      });
      await broker.publish(topic, numbered(1));
      await expect.poll(() => seen).toEqual(['0']);
      await broker.publish(
        topic,
        numbered(1, () => 'k', 1),
      );
      await second;
      expect(seen).toEqual(['0', '1']);
    });
  });

  describe('a message', () => {
    it('may be as large as the broker says, and several of them', async () => {
      const { broker, topic } = await prepared('work', 'g');
      expect(broker.largest_message).toBeGreaterThanOrEqual(1_000_000);
      const value = 'x'.repeat(broker.largest_message - 1);
      const { came } = await take(broker, { topic, group: 'g' }, acknowledge);
      await Promise.all([1, 2, 3, 4, 5].map((n) => broker.publish(topic, [{ key: String(n), value }])));
      await came.count(5);
      expect(came.items.map((delivery) => text(delivery) === value)).toEqual(Array(5).fill(true));
    });

    it('that is larger is refused before anything is sent', async () => {
      const { broker, topic } = await prepared('work', 'g');
      const large = { key: 'large', value: 'ü'.repeat(broker.largest_message / 2) };
      const refused = broker.publish(topic, [{ key: 'small', value: 'first' }, large]);
      await expect(refused).rejects.toMatchObject({
        code: 'GLZ1007',
        message: expect.stringMatching(
          new RegExp(`${topic} has \\d+ bytes, .* ${broker.largest_message} at most`),
        ),
      });
      await broker.publish(topic, [{ key: 'small', value: 'second' }]);
      const { came } = await take(broker, { topic, group: 'g' }, acknowledge);
      await came.count(1);
      expect(came.items.map(text)).toEqual(['second']);
    });
  });

  describe('a topic', () => {
    it('must be named before it is used, and is read as what it is', async () => {
      const broker = await connect();
      const [work, news] = [freshTopic('work', ['g']), freshTopic('news')];
      await expect(broker.publish(work.name, numbered(1))).rejects.toThrow(/was not named/);
      await expect(take(broker, { topic: work.name, group: 'g' })).rejects.toThrow(/was not named/);
      await broker.ensure([work, news]);
      await broker.ensure([work, news]);
      await expect(take(broker, { topic: news.name, group: 'g' })).rejects.toThrow(/subscribe/);
      await expect(broker.subscribe(work.name, () => {})).rejects.toThrow(/consume/);
    });

    it('holds work for people to look at where no group takes it', async () => {
      const { broker, topic } = await prepared('work');
      await broker.publish(topic, numbered(3));
      expect(await broker.lag('nobody', topic)).toBe(3);
    });

    it('that the broker does not have is told at once', async () => {
      const broker = await connect();
      const { name } = freshTopic('work');
      await expect(broker.lag('g', name)).rejects.toMatchObject({
        code: 'GLZ1010',
        message: expect.stringContaining(name),
      });
    });
  });

  describe('closing', () => {
    it('waits for what is being published, and refuses what comes after', async () => {
      const { broker, topic, another } = await prepared('work', 'g');
      const published = broker.publish(topic, numbered(100, String));
      await broker.close(5000);
      await published;
      await expect(broker.publish(topic, numbered(1))).rejects.toMatchObject({ code: 'GLZ9002' });
      await broker.close(5000);
      const { came } = await take(await another(), { topic, group: 'g' }, acknowledge);
      await came.count(100);
    });

    it('leaves what was not acknowledged to others, at once', async () => {
      const { broker, topic, another } = await prepared('work', 'g');
      const first = await take(broker, { topic, group: 'g' });
      await broker.publish(topic, numbered(10));
      await first.came.count(10);
      for (const delivery of first.came.items.slice(0, 5)) delivery.ack();
      await broker.close(5000);
      expect(first.came.items[9]?.lost.aborted).toBe(true);
      const { came } = await take(await another(), { topic, group: 'g' }, acknowledge);
      await came.count(5);
      expect(came.items.map(text)).toEqual(['5', '6', '7', '8', '9']);
    });
  });
}
