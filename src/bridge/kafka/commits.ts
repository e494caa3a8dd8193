import type { Consumer as Client } from '@platformatic/kafka';
import type { Driver } from './driver.ts';
import { kafkaError } from './errors.ts';
import { EARLIEST } from './fetcher.ts';
import type { Held } from './held.ts';
import type { Standing } from './membership.ts';
import type { Settings } from './options.ts';

export type CommitsOptions = {
  readonly driver: Driver;
  readonly settings: Settings;
  readonly topic: string;
  readonly group: string;
  readonly standing: () => Standing | undefined;
};

/**
 * Tells the broker how far the group is in each partition, one request at a time. It has a client of its own, which
 * speaks in the name of the member: the package's own commit would, where the member was put out of its group, join again
 * and then write what is outdated by then over what others have written since.
 */
export class Commits {
  readonly #options: CommitsOptions;
  readonly #client: Client;
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: CommitsOptions) {
    const { driver, settings, group, topic } = options;
    this.#options = options;
    this.#client = new driver.Consumer({ ...settings.base, groupId: group });
    this.#client.topics.track(topic);
  }

  keep(held: Held): void {
    this.#held.add(held);
  }

  drop(held: Held): void {
    this.#held.delete(held);
  }

  /** Where the group goes on in these partitions. */
  async starts(partitions: readonly number[]): Promise<Map<number, bigint>> {
    const { topic } = this.#options;
    const asked = [{ topic, partitions: [...partitions] }];
    const committed = (await this.#client.listCommittedOffsets({ topics: asked })).get(topic) ?? [];
    const missing = partitions.filter((partition) => (committed[partition] ?? -1n) < 0n);
    const oldest =
      missing.length === 0
        ? []
        : ((await this.#client.listOffsets({ topics: [topic], timestamp: EARLIEST })).get(topic) ?? []);
    const startOf = (partition: number): bigint =>
      missing.includes(partition) ? (oldest[partition] ?? 0n) : (committed[partition] ?? 0n);
    return new Map(partitions.map((partition) => [partition, startOf(partition)]));
  }

  soon(): void {
    if (this.#stopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush([...this.#held]).catch((error: unknown) => this.#failed(error));
    }, this.#options.settings.commit_interval_ms);
  }

  /** Rejects where it could not be told; it is told the next time. */
  flush(held: readonly Held[]): Promise<void> {
    const told = this.#running.then(() => this.#commit(held));
    this.#running = told.catch(() => {});
    return told;
  }

  /** Tells it a last time. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.flush([...this.#held]).catch((error: unknown) => this.#failed(error));
    await this.#client.close(true);
  }

  async #commit(held: readonly Held[]): Promise<void> {
    const standing = this.#options.standing();
    const moved = held.filter(({ done, committed }) => done > committed);
    if (standing === undefined || moved.length === 0) return;
    this.#client.memberId = standing.memberId;
    this.#client.generationId = standing.generationId;
    const marks = moved.map((one) => ({ one, done: one.done }));
    const { topic } = this.#options;
    const offsets = marks.map(({ one: { partition }, done }) => ({
      topic,
      partition,
      offset: BigInt(done),
      leaderEpoch: -1,
    }));
    await this.#client.commit({ offsets });
    for (const { one, done } of marks) one.committed = Math.max(one.committed, done);
  }

  #failed(error: unknown): void {
    const { settings, topic, group } = this.#options;
    const what = `how far ${group} is in ${topic} could not be told`;
    settings.logger.debug(kafkaError(what, settings.where, error).message, { topic, group });
    if ([...this.#held].some(({ done, committed }) => done > committed)) this.soon();
  }
}
