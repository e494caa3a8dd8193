import type { Admin } from '@platformatic/kafka';
import type { Topic } from '../broker.ts';
import { noSuchTopic } from '../errors.ts';
import { answered, kafkaError } from './errors.ts';
import { LATEST } from './fetcher.ts';
import type { Settings } from './options.ts';

const RETRY_DELAY = 200;

/** Creates those that are missing, and resolves when all of them can be written. */
export async function ensureTopics(
  admin: Admin,
  topics: readonly Topic[],
  settings: Settings,
): Promise<void> {
  for (const topic of topics) await createMissing(admin, topic, settings);
  for (const { name } of topics) await untilWritable(admin, name);
}

async function createMissing(admin: Admin, topic: Topic, settings: Settings): Promise<void> {
  if (await partitionsOf(admin, topic.name).then(() => true, unknownTopic)) return;
  const { name, kind, partitions = kind === 'news' ? 1 : settings.partitions } = topic;
  try {
    await admin.createTopics({ topics: [name], partitions });
    settings.logger.info(`the topic ${name} was created`, { topic: name, partitions });
  } catch (error) {
    // Somebody else was quicker.
    if (!answered(error, 'TOPIC_ALREADY_EXISTS')) throw error;
  }
}

/** False where there is no such topic; other trouble is thrown on. */
function unknownTopic(error: unknown): false {
  if (saysUnknown(error)) return false;
  throw error;
}

/** The package has words of its own for it. */
function saysUnknown(error: unknown): boolean {
  return answered(error, 'UNKNOWN_TOPIC_OR_PARTITION') || /Unknown topic/.test(String(error));
}

/** A topic is told to be there before its partitions have a leader. */
async function untilWritable(admin: Admin, name: string): Promise<void> {
  for (;;) {
    try {
      await endsOf(admin, name);
      return;
    } catch (error) {
      if (!answered(error, 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_OR_FOLLOWER') && !saysUnknown(error))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
    }
  }
}

async function partitionsOf(admin: Admin, name: string): Promise<number> {
  const metadata = await admin.metadata({ topics: [name], forceUpdate: true });
  return metadata.topics.get(name)?.partitionsCount ?? 0;
}

/** The offset that the next message of each partition gets. */
async function endsOf(admin: Admin, name: string): Promise<Map<number, bigint>> {
  return offsetsOf(admin, name, LATEST);
}

async function offsetsOf(admin: Admin, name: string, timestamp: bigint): Promise<Map<number, bigint>> {
  const count = await partitionsOf(admin, name);
  const partitions = Array.from({ length: count }, (_, partitionIndex) => ({ partitionIndex, timestamp }));
  const [listed] = await admin.listOffsets({ topics: [{ name, partitions }] });
  return new Map(listed?.partitions.map(({ partitionIndex, offset }) => [partitionIndex, offset]));
}

type Asked = { readonly group: string; readonly topic: string; readonly where: string };

/** Messages that a group has not come to yet, by partition. */
export async function lagsOf(admin: Admin, { group, topic, where }: Asked): Promise<number[]> {
  try {
    const [starts, ends] = [await offsetsOf(admin, topic, -2n), await endsOf(admin, topic)];
    const partitionIndexes = [...ends.keys()];
    const asked = [{ groupId: group, topics: [{ name: topic, partitionIndexes }] }];
    const [known] = await admin.listConsumerGroupOffsets({ groups: asked });
    const done = new Map(known?.topics[0]?.partitions.map((it) => [it.partitionIndex, it.committedOffset]));
    const ordered = [...ends].toSorted(([one], [other]) => one - other);
    return ordered.map(([partition, end]) => {
      const committed = done.get(partition) ?? -1n;
      const start = starts.get(partition) ?? 0n;
      return Number(end - (committed > start ? committed : start));
    });
  } catch (error) {
    if (saysUnknown(error)) throw noSuchTopic(topic, error);
    throw kafkaError(`the lag of ${group} in ${topic} cannot be read`, where, error);
  }
}
