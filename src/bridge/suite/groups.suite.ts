import { describe, expect, it } from 'vitest';
import type { Delivery } from '../broker.ts';
import { connections } from './connections.suite.ts';
import {
  acknowledge,
  type BrokerHarness,
  type BrokerTraits,
  type FarMember,
  numbered,
  take,
  text,
} from './harness.suite.ts';

const missingOf = (count: number, received: Iterable<string>): string[] => {
  const found = new Set(received);
  return numbered(count).flatMap(({ value }) => (found.has(String(value)) ? [] : [String(value)]));
};

/** Members that come, go and are killed. */
export function groupsSuite(harness: () => BrokerHarness, traits: BrokerTraits): void {
  const { prepared } = connections(harness);

  describe('a group', () => {
    it('gives a member that comes its share', async () => {
      const { broker, topic, another } = await prepared('work', 'g');
      const first = await take(broker, { topic, group: 'g' }, acknowledge);
      await broker.publish(topic, numbered(10, String));
      await first.came.count(10);
      const second = await take(await another(), { topic, group: 'g' }, acknowledge);
      let sent = 10;
      while (second.came.items.length === 0) {
        await broker.publish(topic, numbered(10, String, sent));
        sent += 10;
      }
      const all = () => [...first.came.items, ...second.came.items].map(text);
      await Promise.race(
        [first, second].map(({ came }) => came.until(() => missingOf(sent, all()).length === 0)),
      );
    });

    it('loses nothing while members come and go', async () => {
      const { broker, topic, another } = await prepared('work', 'g');
      const seen = new Set<string>();
      const count = 3000;
      let whole = () => {};
      const complete = new Promise<void>((resolve) => {
        whole = resolve;
      });
      const note = (delivery: Delivery) => {
        // Ends later, and not in order.
        setTimeout(() => delivery.ack(), seen.size % 7);
        seen.add(text(delivery));
        if (seen.size === count) whole();
      };
      const member = async () => take(await another(), { topic, group: 'g', most_unacknowledged: 50 }, note);
      const members = [await member()];
      for (let from = 0; from < count; from += 100) {
        await broker.publish(topic, numbered(100, String, from));
        if (from % 500 === 0) members.push(await member());
        if (from % 700 === 600) await members.shift()?.consumer.stop(2000);
      }
      await complete;
      await Promise.all(members.map(({ consumer }) => consumer.stop(2000)));
      // What was handed out and not acknowledged when its member stopped comes once more.
      const last = await take(broker, { topic, group: 'g' }, acknowledge);
      await last.came.count(await broker.lag('g', topic));
      await last.consumer.stop(2000);
      expect(await broker.lag('g', topic)).toBe(0);
      expect(missingOf(count, seen)).toEqual([]);
    });

    it('gives what a member that was killed has not acknowledged to the others', async () => {
      const { broker, topic } = await prepared('work', 'g');
      await broker.publish(topic, numbered(50, String));
      const far = await harness().farMember({
        topic,
        group: 'g',
        most_unacknowledged: 1000,
        acknowledges: false,
      });
      await far.until(({ length }) => length >= 50);
      const near = await take(broker, { topic, group: 'g' }, acknowledge);
      await far.kill();
      await near.came.until((items) => missingOf(50, items.map(text)).length === 0);
    });

    it('loses nothing when members are killed under load', async () => {
      const { broker, topic } = await prepared('work', 'g');
      const near = await take(broker, { topic, group: 'g' }, acknowledge);
      const far: FarMember[] = [];
      const options = { topic, group: 'g', most_unacknowledged: 100, acknowledges: true };
      const count = 2000;
      for (let from = 0; from < count; from += 50) {
        await broker.publish(topic, numbered(50, String, from));
        if (from % 500 === 0) far.push(await harness().farMember(options));
        if (from % 500 === 300) await far.at(-1)?.kill();
      }
      const received = () => [...near.came.items.map(text), ...far.flatMap((member) => member.received)];
      await near.came.until(() => missingOf(count, received()).length === 0);
      await expect.poll(() => broker.lag('g', topic), { timeout: 20_000 }).toBe(0);
    });

    it('goes on without a member that hangs, and with it again', async () => {
      const { broker, topic } = await prepared('work', 'g');
      const options = { topic, group: 'g', most_unacknowledged: 100, acknowledges: true };
      const far = await harness().farMember(options);
      const near = await take(broker, { topic, group: 'g' }, acknowledge);
      await broker.publish(topic, numbered(50, String));
      const whole = (count: number) => () =>
        missingOf(count, [...near.came.items.map(text), ...far.received]).length === 0;
      const together = (count: number) =>
        Promise.race([far.until(whole(count)), near.came.until(whole(count))]);
      await together(50);
      await far.freeze(true);
      await broker.publish(topic, numbered(50, String, 50));
      await near.came.until(whole(100));
      await far.freeze(false);
      await broker.publish(topic, numbered(50, String, 100));
      await together(150);
      await expect.poll(() => broker.lag('g', topic), { timeout: 20_000 }).toBe(0);
      await far.kill();
    });

    it('leaves a message with the member that works on it, however long that takes', async () => {
      const { broker, topic, another } = await prepared('work', 'g');
      const slow = await take(broker, { topic, group: 'g' });
      await broker.publish(topic, numbered(5, String));
      await slow.came.count(5);
      const other = await take(await another(), { topic, group: 'g' }, acknowledge);
      await new Promise((resolve) => setTimeout(resolve, traits.silence_ms));
      const kept = slow.came.items.filter(({ lost }) => !lost.aborted).map(text);
      expect(kept.length).toBeGreaterThan(0);
      expect(other.came.items.map(text).filter((value) => kept.includes(value))).toEqual([]);
      for (const delivery of slow.came.items) delivery.ack();
      await expect.poll(() => broker.lag('g', topic), { timeout: 20_000 }).toBe(0);
    });
  });
}
