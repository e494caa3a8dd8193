import { Admin, Producer } from '@platformatic/kafka';
import { describe, expect, it } from 'vitest';
import { sharedService } from '../../../test/services/shared.ts';
import { acknowledge, freshTopic, numbered, take, text } from '../suite/harness.suite.ts';
import { openReal } from '../suite/real.suite.ts';

async function site() {
  const address = await sharedService('kafka');
  const topic = { ...freshTopic('work', ['g']), partitions: 1 };
  const broker = await openReal('kafka', address);
  await broker.ensure([topic]);
  return { address, topic, broker };
}

describe('what others do to a topic', () => {
  it('may be messages without key, without value, with headers that are no text, and in transactions', async () => {
    const { address, topic, broker } = await site();
    const producer = new Producer({ clientId: 'other', bootstrapBrokers: [address], idempotent: true });
    const write = async (value: Buffer | undefined, commit: boolean) => {
      const transaction = await producer.beginTransaction();
      const headers = new Map([[Buffer.from('h'), Buffer.from([0xff])]]);
      await transaction.send({ messages: [{ topic: topic.name, ...(value && { value }), headers }] });
      await (commit ? transaction.commit() : transaction.abort());
    };
    await write(undefined, true);
    await write(Buffer.from('taken back'), false);
    await write(Buffer.from('last'), true);
    const { came, consumer } = await take(broker, { topic: topic.name, group: 'g' }, acknowledge);
    await came.count(2);
    expect(came.items.map((item) => [item.key, text(item), Object.keys(item.headers)])).toEqual([
      ['', '', ['h']],
      ['', 'last', ['h']],
    ]);
    await consumer.stop(2000);
    // The marks that transactions leave behind are nobody's work.
    const again = await take(broker, { topic: topic.name, group: 'g' }, acknowledge);
    await broker.publish(topic.name, [{ key: 'k', value: 'ours' }]);
    await again.came.count(1);
    expect(again.came.items.map(text)).toEqual(['ours']);
    await producer.close();
    await broker.close(2000);
  });

  it('may be that it is removed and made anew', async () => {
    const { address, topic, broker } = await site();
    const { came } = await take(broker, { topic: topic.name, group: 'g' }, acknowledge);
    await broker.publish(topic.name, numbered(20));
    await came.count(20);
    const admin = new Admin({ clientId: 'operator', bootstrapBrokers: [address] });
    await admin.deleteTopics({ topics: [topic.name] });
    await broker.ensure([topic]);
    await broker.publish(
      topic.name,
      numbered(1, () => 'k', 20),
    );
    await came.until((items) => items.map(text).includes('20'));
    await admin.close();
    await broker.close(2000);
  });
});
