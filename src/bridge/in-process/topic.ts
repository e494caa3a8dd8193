import type { Message, NewsHandler, Topic } from '../broker.ts';
import { Group } from './group.ts';
import { asNews, Partition } from './partition.ts';

const DEFAULT_PARTITIONS = 12;
/** Work that no group takes: so many of each partition are kept for people to look at. */
const KEPT_FOR_NOBODY = 1000;

export class InProcessTopic {
  readonly kind: Topic['kind'];
  readonly partitions: readonly Partition[];
  readonly groups = new Map<string, Group>();
  readonly listeners = new Set<NewsHandler>();

  constructor({ kind, partitions = DEFAULT_PARTITIONS }: Topic) {
    this.kind = kind;
    this.partitions = Array.from({ length: partitions }, (_, number) => new Partition(number));
  }

  group(name: string): Group {
    const known = this.groups.get(name);
    if (known !== undefined) return known;
    const group = new Group(this.partitions);
    this.groups.set(name, group);
    return group;
  }

  /** By partition; everything, where the group was never there. */
  lagsOf(group: string): number[] {
    return this.groups.get(group)?.lags ?? this.partitions.map(({ start, end }) => end - start);
  }

  write(messages: readonly Message[]): void {
    if (this.kind === 'news') {
      for (const listener of this.listeners) listener(messages.map(asNews));
      return;
    }
    for (const message of messages)
      this.partitions[hash(message.key) % this.partitions.length]?.append(message);
    for (const group of this.groups.values()) group.wake();
    if (this.groups.size === 0) this.tidy();
  }

  /** Forgets what every group is done with. */
  tidy(): void {
    const groups = [...this.groups.values()];
    for (const [number, partition] of this.partitions.entries()) {
      const done = groups.map(({ shares }) => shares[number]?.done ?? 0);
      partition.forget(groups.length === 0 ? partition.end - KEPT_FOR_NOBODY : Math.min(...done));
    }
  }
}

/** FNV-1a: the same key always comes to the same partition. */
function hash(key: string): number {
  let sum = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1)
    sum = Math.imul(sum ^ key.charCodeAt(index), 0x01000193) >>> 0;
  return sum;
}
