import type { Consumer, KafkaRecord } from '@platformatic/kafka';
import { Complaints } from '../complaints.ts';
import { answered, kafkaError } from './errors.ts';
import type { Settings } from './options.ts';

/** A place from which a partition is read on. */
export type Reading = {
  readonly partition: number;
  next: bigint;
  /** Whether there is room for more of it now. */
  wanted(): boolean;
  /** In order, and not asked again for what it has been given. */
  took(offset: number, record: KafkaRecord): void;
};

export type FetcherOptions = {
  /** A client that does nothing but fetch: a fetch that waits holds up everything behind it on its connection. */
  readonly client: Consumer;
  readonly settings: Settings;
  readonly topic: string;
  /** After each answer that brought something. */
  readonly arrived: () => void;
};

const MAX_WAIT = 250;
const MAX_BYTES = 4 * 1024 * 1024;
const PARTITION_BYTES = 1024 * 1024;
const RETRY_DELAY = 200;
export const EARLIEST = -2n;
export const LATEST = -1n;
/** A batch of records that Kafka wrote for itself. */
const CONTROL = 0b10_0000;

/** Reads partitions of one topic, from each broker that leads some of them, as long as somebody wants more. */
export class Fetcher {
  readonly #options: FetcherOptions;
  readonly #complaints: Complaints;
  readonly #readings = new Map<number, Reading>();
  readonly #busy = new Set<number>();
  #looking = false;
  #stale = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FetcherOptions) {
    this.#options = options;
    this.#complaints = new Complaints(options.settings.logger);
  }

  read(reading: Reading): void {
    this.#readings.set(reading.partition, reading);
    this.poke();
  }

  drop(reading: Reading): void {
    if (this.#readings.get(reading.partition) === reading) this.#readings.delete(reading.partition);
  }

  /** Something has changed: there may be room, or a new reading. */
  poke(): void {
    if (this.#looking || this.#stopped || this.#timer !== undefined) return;
    this.#looking = true;
    void this.#look().finally(() => {
      this.#looking = false;
    });
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#readings.clear();
  }

  async #look(): Promise<void> {
    const { client, topic } = this.#options;
    const wanted = [...this.#readings.values()].filter((reading) => reading.wanted());
    if (wanted.length === 0) return;
    try {
      const metadata = await client.metadata({ topics: [topic], forceUpdate: this.#stale });
      this.#stale = false;
      const known = metadata.topics.get(topic);
      if (known === undefined) throw new Error(`the topic ${topic} is not there`);
      const byLeader = Map.groupBy(wanted, ({ partition }) => known.partitions[partition]?.leader ?? -1);
      for (const [node, readings] of byLeader)
        if (node >= 0 && !this.#busy.has(node)) void this.#fetch(node, known.id, readings);
      if (byLeader.has(-1)) this.#later();
    } catch (error) {
      this.#complain(error);
      this.#later();
    }
  }

  async #fetch(node: number, topicId: string, readings: readonly Reading[]): Promise<void> {
    this.#busy.add(node);
    try {
      const partitions = readings.map(({ partition, next }) => ({
        partition,
        fetchOffset: next,
        partitionMaxBytes: PARTITION_BYTES,
        currentLeaderEpoch: -1,
        lastFetchedEpoch: -1,
      }));
      const answer = await this.#options.client.fetch({
        node,
        topics: [{ topicId, partitions }],
        maxWaitTime: MAX_WAIT,
        minBytes: 1,
        maxBytes: MAX_BYTES,
      });
      const asked = new Map(readings.map((reading) => [reading.partition, reading]));
      const parts = answer.responses.flatMap((response) => response.partitions);
      for (const part of parts) this.#took(asked.get(part.partitionIndex), part.records ?? []);
      this.#complaints.over();
      this.#options.arrived();
    } catch (error) {
      this.#failed(readings, error);
    } finally {
      this.#busy.delete(node);
      this.poke();
    }
  }

  #took(reading: Reading | undefined, batches: readonly Batch[]): void {
    // Taken from us meanwhile, or taken and given back: another reading goes on from another place.
    if (reading === undefined || this.#readings.get(reading.partition) !== reading) return;
    for (const { firstOffset, lastOffsetDelta, attributes, records } of batches) {
      const end = firstOffset + BigInt(lastOffsetDelta) + 1n;
      if (end <= reading.next) continue;
      // A batch comes whole, also where only its end was asked for.
      for (const record of (attributes & CONTROL) === 0 ? records : []) {
        const offset = firstOffset + BigInt(record.offsetDelta);
        if (offset >= reading.next) reading.took(Number(offset), record);
      }
      reading.next = end;
    }
  }

  #failed(readings: readonly Reading[], error: unknown): void {
    if (this.#stopped) return;
    const { settings, topic } = this.#options;
    if (answered(error, 'OFFSET_OUT_OF_RANGE')) {
      settings.logger.warn(
        `messages of ${topic} were removed before they were read; the oldest that is left is next`,
      );
      void this.#restart(readings).catch(() => {});
    } else this.#complain(error);
    this.#later();
  }

  async #restart(readings: readonly Reading[]): Promise<void> {
    const { client, topic } = this.#options;
    const starts = (await client.listOffsets({ topics: [topic], timestamp: EARLIEST })).get(topic) ?? [];
    const ends = (await client.listOffsets({ topics: [topic], timestamp: LATEST })).get(topic) ?? [];
    for (const reading of readings) {
      const [start, end] = [starts[reading.partition], ends[reading.partition]];
      // Past its end is a place in a topic that was removed and made anew.
      if (start !== undefined && end !== undefined && (reading.next < start || reading.next > end))
        reading.next = start;
    }
  }

  #complain(error: unknown): void {
    const { settings, topic } = this.#options;
    if (!this.#stopped) this.#complaints.about(kafkaError(`${topic} cannot be read`, settings.where, error));
  }

  #later(): void {
    this.#stale = true;
    if (this.#stopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.poke();
    }, RETRY_DELAY);
  }
}

type Batch = {
  readonly firstOffset: bigint;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
  readonly records: readonly KafkaRecord[];
};
