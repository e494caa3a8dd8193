import amqp from 'amqplib';
import { expect, it } from 'vitest';
import { sharedService } from '../../../test/services/shared.ts';
import { acknowledge, freshTopic, numbered, take, text } from '../suite/harness.suite.ts';
import { openReal } from '../suite/real.suite.ts';
import { queueOf } from './topology.ts';

it('declares again what somebody has removed, and loses nothing that is published after', async () => {
  const address = await sharedService('rabbitmq');
  const broker = await openReal('rabbitmq', address);
  const topic = freshTopic('work', ['g']);
  await broker.ensure([topic]);
  const { came } = await take(broker, { topic: topic.name, group: 'g' }, acknowledge);
  await broker.publish(topic.name, numbered(1));
  await came.count(1);

  const operator = await amqp.connect(address);
  const channel = await operator.createChannel();
  await channel.deleteQueue(queueOf(topic.name, 'g'));
  await broker.publish(
    topic.name,
    numbered(1, () => 'k', 1),
  );
  await came.count(2);
  await channel.deleteExchange(topic.name);
  await broker.publish(
    topic.name,
    numbered(1, () => 'k', 2),
  );
  await came.count(3);
  expect(came.items.map(text)).toEqual(['0', '1', '2']);
  await operator.close();
  await broker.close(2000);
});

it('says which one it is where something of that name has other settings', async () => {
  const address = await sharedService('rabbitmq');
  const topic = freshTopic('work', ['g']);
  const operator = await amqp.connect(address);
  const channel = await operator.createChannel();
  await channel.assertExchange(topic.name, 'direct', { durable: true });
  const broker = await openReal('rabbitmq', address);
  await expect(broker.ensure([topic])).rejects.toMatchObject({
    code: 'GLZ3202',
    message: expect.stringContaining(topic.name),
    details: { hint: expect.stringContaining('other settings') },
  });
  await operator.close();
  await broker.close(2000);
});
