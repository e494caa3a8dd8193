import type { GroupPartitionsAssigner } from '@platformatic/kafka';

type Members = Parameters<GroupPartitionsAssigner>[1];

/**
 * Who of a group gets which partitions: as many as everybody else, and as far as possible those that it has already. The
 * package's own assigner leaves a member that joins without any where the others have one more than their part.
 */
export const stickyAssigner: GroupPartitionsAssigner = (_current, members, topics, metadata) => {
  const shares = new Map([...members.keys()].map((id) => [id, new Map<string, number[]>()]));
  for (const topic of topics) {
    const count = metadata.topics.get(topic)?.partitionsCount ?? 0;
    for (const [id, partitions] of assignTopic(members, topic, count)) shares.get(id)?.set(topic, partitions);
  }
  return [...shares].map(([memberId, ofTopics]) => ({
    memberId,
    assignments: new Map([...ofTopics].map(([topic, partitions]) => [topic, { topic, partitions }])),
  }));
};

/** The partitions of one topic. One that has to change hands is nobody's until its owner has let go of it, and joined again. */
function assignTopic(members: Members, topic: string, count: number): Map<string, number[]> {
  const ids = [...members].filter(([, { topics }]) => topics?.includes(topic)).map(([id]) => id);
  const { owners, contested } = ownersOf(members, topic, count);
  const owned = new Map(ids.map((id): [string, number[]] => [id, []]));
  for (const [partition, owner] of owners) owned.get(owner)?.push(partition);

  // Who has most keeps most: the larger parts go to them.
  const order = [...ids].sort((a, b) => sizeOf(owned, b) - sizeOf(owned, a) || (a < b ? -1 : 1));
  const shares = new Map<string, number[]>();
  for (const [index, id] of order.entries()) {
    const part = Math.floor(count / ids.length) + (index < count % ids.length ? 1 : 0);
    shares.set(id, (owned.get(id) ?? []).slice(0, part));
  }
  const free = Array.from({ length: count }, (_, partition) => partition).filter(
    (partition) => !owners.has(partition) && !contested.has(partition),
  );
  for (const [index, id] of order.entries()) {
    const part = Math.floor(count / ids.length) + (index < count % ids.length ? 1 : 0);
    const share = shares.get(id) ?? [];
    share.push(...free.splice(0, part - share.length));
  }
  return shares;
}

function sizeOf(owned: ReadonlyMap<string, readonly number[]>, id: string): number {
  return owned.get(id)?.length ?? 0;
}

/** What members say they have. Of two that claim the same none can be trusted: both have to let go of it first. */
function ownersOf(members: Members, topic: string, count: number) {
  const newest = Math.max(...[...members.values()].map(({ generationId }) => generationId ?? -1));
  const owners = new Map<number, string>();
  const contested = new Set<number>();
  for (const [id, { generationId = -1, ownedPartitions = [] }] of members) {
    if (generationId < newest) continue;
    for (const partition of ownedPartitions
      .filter((it) => it.topic === topic)
      .flatMap((it) => it.partitions)) {
      if (partition >= count) continue;
      if (owners.has(partition)) contested.add(partition);
      owners.set(partition, id);
    }
  }
  for (const partition of contested) owners.delete(partition);
  return { owners, contested };
}
