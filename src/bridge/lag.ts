import type { Broker } from './broker.ts';

/** What a group has not acknowledged of a topic yet. */
export type Lag = {
  readonly messages: number;
  /** By the number of the partition; none where the broker has no partitions. */
  readonly partitions: readonly number[];
};

export async function readLag(
  broker: Pick<Broker, 'lag' | 'partitionLags'>,
  { group, topic }: { readonly group: string; readonly topic: string },
): Promise<Lag> {
  const partitions = await broker.partitionLags(group, topic);
  const messages =
    partitions.length > 0 ? partitions.reduce((sum, one) => sum + one, 0) : await broker.lag(group, topic);
  return { messages, partitions };
}
