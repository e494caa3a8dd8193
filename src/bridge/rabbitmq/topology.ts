import type { Channel, ChannelModel } from 'amqplib';
import type { Topic } from '../broker.ts';
import { noSuchTopic } from '../errors.ts';

/** Work that no group takes: so much of it is kept for people to look at. */
const KEPT_FOR_NOBODY = 10_000;

/** A topic is an exchange that copies to everyone; a group is a queue behind it. */
export function queueOf(topic: string, group: string): string {
  return `${topic}:${group}`;
}

/** Where work is kept that no group takes. */
const KEPT = 'kept';

/** Declares what is missing. On a channel of its own: a refusal ends the channel. */
export async function declare(model: ChannelModel, topics: Iterable<Topic>): Promise<void> {
  const channel = await model.createChannel();
  // The refusal itself rejects what was asked.
  channel.on('error', () => {});
  for (const topic of topics) await declareTopic(channel, topic);
  await channel.close();
}

async function declareTopic(channel: Channel, { name, kind, groups = [] }: Topic): Promise<void> {
  await channel.assertExchange(name, 'fanout', { durable: true });
  if (kind === 'news') return;
  const queues = groups.map((group) => ({ queue: queueOf(name, group), options: {} }));
  const kept = { queue: queueOf(name, KEPT), options: { maxLength: KEPT_FOR_NOBODY } };
  for (const { queue, options } of queues.length === 0 ? [kept] : queues) {
    await channel.assertQueue(queue, { durable: true, ...options });
    await channel.bindQueue(queue, name, '');
  }
}

/** What waits for a group, or where it was never there what is kept for people. The server does not tell what is being worked on. */
export async function lagOf(model: ChannelModel, topic: string, group: string): Promise<number> {
  const waiting =
    (await lengthOf(model, queueOf(topic, group))) ?? (await lengthOf(model, queueOf(topic, KEPT)));
  if (waiting === undefined) throw noSuchTopic(topic);
  return waiting;
}

const NOT_FOUND = 404;

async function lengthOf(model: ChannelModel, queue: string): Promise<number | undefined> {
  // That a queue is missing ends the channel.
  const channel = await model.createChannel();
  channel.on('error', () => {});
  try {
    const { messageCount } = await channel.checkQueue(queue);
    await channel.close();
    return messageCount;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return undefined;
    throw error;
  }
}
