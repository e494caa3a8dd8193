import { describe, expect, it } from 'vitest';
import { connections } from './connections.suite.ts';
import { acknowledge, type BrokerHarness, type BrokerTraits, numbered, take, text } from './harness.suite.ts';

/** What comes, in which order, and what comes again. */
export function deliverySuite(harness: () => BrokerHarness, traits: BrokerTraits): void {
  const { prepared } = connections(harness);

  describe('what is published', () => {
    it('comes as it was written, with where it stands', async () => {
      const { broker, topic } = await prepared('work', 'g');
      const headers = { traceparent: '00-ab-cd-01', ö: 'ü' };
      await broker.publish(topic, [
        { key: 'schlüssel/1', value: 'Grüße', headers },
        { key: '', value: '' },
      ]);
      const { came } = await take(broker, { topic, group: 'g' }, acknowledge);
      await came.count(2);
      const found = new Map(came.items.map((item) => [item.key, item]));
      const whole = found.get('schlüssel/1');
      expect([whole && text(whole), whole?.headers, whole?.redelivered]).toEqual(['Grüße', headers, false]);
      expect(whole?.place).toMatch(new RegExp(`^${topic}/`));
      expect([found.get('')?.value.length, found.get('')?.headers]).toEqual([0, {}]);
    });

    it('may be bytes that are no text', async () => {
      const { broker, topic } = await prepared('work', 'g');
      const value = Uint8Array.from([0xff, 0x00, 0xc3, 0x28, 0x0d, 0x0a]);
      await broker.publish(topic, [{ key: 'k', value }]);
      const { came } = await take(broker, { topic, group: 'g' }, acknowledge);
      await came.count(1);
      expect([...(came.items[0]?.value ?? [])]).toEqual([...value]);
    });

    it('waits for a group that is named and not there yet, and comes to each group', async () => {
      const { broker, topic, another } = await prepared('work', 'one', 'two');
      await broker.publish(topic, numbered(20, String));
      const other = await another();
      const takings = await Promise.all([
        take(broker, { topic, group: 'one' }, acknowledge),
        take(other, { topic, group: 'two' }, acknowledge),
      ]);
      for (const { came } of takings) {
        await came.count(20);
        expect(new Set(came.items.map(text)).size).toBe(20);
      }
    });

    it('comes in order, fifty thousand of it', async () => {
      const { broker, topic } = await prepared('work', 'g');
      const { came } = await take(broker, { topic, group: 'g' }, acknowledge);
      const keys = 7;
      for (let from = 0; from < 50_000; from += 1000)
        void broker.publish(
          topic,
          numbered(1000, (number) => `key-${number % keys}`, from),
        );
      await came.count(50_000);
      const last = new Map<string, number>();
      for (const delivery of came.items) {
        expect(Number(text(delivery))).toBe(
          (last.get(delivery.key) ?? Number(delivery.key.slice(4)) - keys) + keys,
        );
        last.set(delivery.key, Number(text(delivery)));
      }
      expect(came.items.length).toBe(50_000);
    });
  });

  describe('what is acknowledged', () => {
    it('does not come again, and what is not does', async () => {
      const { broker, topic } = await prepared('work', 'g');
      await broker.publish(topic, numbered(10));
      const first = await take(broker, { topic, group: 'g' });
      await first.came.count(10);
      for (const delivery of first.came.items.slice(0, 6)) delivery.ack();
      await first.consumer.stop(2000);
      const second = await take(broker, { topic, group: 'g' }, acknowledge);
      await second.came.count(4);
      expect(second.came.items.map(text)).toEqual(['6', '7', '8', '9']);
      expect(second.came.items.map(({ redelivered }) => redelivered)).toEqual(
        Array(4).fill(traits.tells_redelivery),
      );
    });

    it('counts when everything before it is done', async () => {
      const { broker, topic } = await prepared('work', 'g');
      await broker.publish(topic, numbered(3));
      const first = await take(broker, { topic, group: 'g' });
      await first.came.count(3);
      for (const delivery of first.came.items.slice(1)) delivery.ack();
      await first.consumer.stop(2000);
      const again = traits.partitions ? ['0', '1', '2'] : ['0'];
      const second = await take(broker, { topic, group: 'g' }, acknowledge);
      await second.came.count(again.length);
      expect(second.came.items.map(text)).toEqual(again);
    });

    it('counts once and not after it was taken away', async () => {
      const { broker, topic } = await prepared('work', 'g');
      await broker.publish(topic, numbered(2));
      const first = await take(broker, { topic, group: 'g' });
      await first.came.count(2);
      first.came.items[0]?.ack();
      first.came.items[0]?.ack();
      await first.consumer.stop(2000);
      expect(first.came.items[1]?.lost.aborted).toBe(true);
      first.came.items[1]?.ack();
      const second = await take(broker, { topic, group: 'g' }, acknowledge);
      await second.came.count(1);
      expect(second.came.items.map(text)).toEqual(['1']);
    });

    it('is told by the lag', async () => {
      const { broker, topic } = await prepared('work', 'g', 'other');
      await broker.publish(topic, numbered(5, String));
      expect(await broker.lag('g', topic)).toBe(5);
      const lags = await broker.partitionLags('g', topic);
      expect(lags).toHaveLength(traits.partitions ? 3 : 0);
      if (traits.partitions) expect(lags.reduce((sum, one) => sum + one, 0)).toBe(5);
      const { came, consumer } = await take(broker, { topic, group: 'g' });
      await came.count(5);
      expect(await broker.lag('g', topic)).toBe(traits.lag_counts_open ? 5 : 0);
      for (const delivery of came.items) delivery.ack();
      await consumer.stop(2000);
      expect([await broker.lag('g', topic), await broker.lag('other', topic)]).toEqual([0, 5]);
    });
  });
}
