import { describe, expect, it } from 'vitest';
import type { Broker, BrokerState } from '../broker.ts';
import { connections } from './connections.suite.ts';
import { Arrivals, acknowledge, type CrashHarness, numbered, take, text } from './harness.suite.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function untilState(broker: Broker, wanted: BrokerState): Promise<void> {
  return new Promise((resolve) => {
    const forget = broker.onState(() => look());
    const look = () => {
      if (broker.state !== wanted) return;
      forget();
      resolve();
    };
    look();
  });
}

/** A broker that is killed and comes back. */
export function crashSuite(harness: () => CrashHarness): void {
  const { connect, prepared } = connections(harness);

  describe('a broker that is killed', () => {
    it('loses nothing that it has acknowledged, and members and publishers go on when it is back', async () => {
      const { broker, topic, another } = await prepared('work', 'g');
      const { came } = await take(await another(), { topic, group: 'g' }, acknowledge);
      let [sent, stop] = [0, false];
      const publisher = async () => {
        while (!stop) {
          const batch = numbered(20, String, sent);
          sent += 20;
          // One that is refused may have been written or not, and is published again.
          await broker.publish(topic, batch).catch(() => broker.publish(topic, batch));
        }
      };
      const publishing = [publisher(), publisher(), publisher()];
      await came.count(2000);
      await harness().crash();
      await untilState(broker, 'away');
      await harness().restart();
      await untilState(broker, 'up');
      const before = came.items.length;
      await came.count(before + 2000);
      stop = true;
      await Promise.all(publishing);
      await came.until((items) => new Set(items.map(text)).size === sent);
    });

    it('is waited for', async () => {
      const { broker, topic, another } = await prepared('work', 'g');
      const { came } = await take(await another(), { topic, group: 'g' }, acknowledge);
      await broker.publish(topic, numbered(10));
      await came.count(10);
      await harness().crash();
      const published = broker.publish(
        topic,
        numbered(10, () => 'k', 10),
      );
      await pause(harness().outage_ms);
      await harness().restart();
      await published;
      await came.until((items) => new Set(items.map(text)).size === 20);
    });

    it('is not waited for longer than was said', async () => {
      const { topic, another } = await prepared('work', 'g');
      const impatient = await connect({ publish_timeout_ms: 500 });
      await impatient.ensure([{ name: topic, kind: 'work', groups: ['g'] }]);
      await harness().crash();
      await untilState(impatient, 'away');
      try {
        const refused = impatient.publish(topic, numbered(1));
        await expect(refused).rejects.toMatchObject({
          code: 'GLZ3201',
          message: expect.stringContaining(topic),
        });
      } finally {
        await harness().restart();
      }
      const { came } = await take(await another(), { topic, group: 'g' }, acknowledge);
      await untilState(impatient, 'up');
      // On a busy machine its patience may not be enough for the first time.
      const last = numbered(1, () => 'k', 1);
      const published = () =>
        impatient.publish(topic, last).then(
          () => true,
          () => false,
        );
      await expect.poll(published, { timeout: 20_000 }).toBe(true);
      await came.until((items) => items.map(text).includes('1'));
    });

    it('may also hang', async () => {
      const { topic, another } = await prepared('work', 'g');
      const impatient = await connect({ publish_timeout_ms: 500 });
      await impatient.ensure([{ name: topic, kind: 'work', groups: ['g'] }]);
      const { came } = await take(await another(), { topic, group: 'g' }, acknowledge);
      await impatient.publish(topic, numbered(1));
      await came.count(1);
      await harness().freeze(true);
      try {
        const refused = impatient.publish(
          topic,
          numbered(1, () => 'k', 1),
        );
        await expect(refused).rejects.toMatchObject({ code: 'GLZ3201' });
        const next = impatient.publish(
          topic,
          numbered(1, () => 'k', 2),
        );
        await expect(next).rejects.toMatchObject({ code: 'GLZ3201' });
      } finally {
        await harness().freeze(false);
      }
      await (await another()).publish(
        topic,
        numbered(1, () => 'k', 3),
      );
      await came.until((items) => items.map(text).includes('3'));
    });

    it('finds listeners and members where they were', async () => {
      const { broker, topic } = await prepared('news');
      const came = new Arrivals<string>();
      await broker.subscribe(topic, (news) => came.add(news.map(text)));
      await broker.publish(topic, numbered(1));
      await came.count(1);
      await harness().crash();
      await harness().restart();
      let next = 1;
      // The listener comes back on its own time, and what is told before that is missed.
      while (came.items.length === 1) {
        await broker.publish(
          topic,
          numbered(1, () => 'k', next),
        );
        next += 1;
      }
    });
  });
}
