import type { Consumer } from '@platformatic/kafka';
import { Complaints } from '../complaints.ts';
import { stickyAssigner } from './assign.ts';
import type { Driver } from './driver.ts';
import { kafkaError } from './errors.ts';
import type { Settings } from './options.ts';

export type MembershipOptions = {
  readonly driver: Driver;
  readonly settings: Settings;
  readonly topic: string;
  readonly group: string;
  /** The partitions that are ours now. `anew`: we were out of the group meanwhile, so none of them is as we left it. */
  readonly assigned: (partitions: readonly number[], anew: boolean) => void;
};

/** Who we are to the group; what commits are made in the name of. */
export type Standing = { readonly memberId: string; readonly generationId: number };

const RETRIES = 10;
const RETRY_DELAY = 200;
const REJOIN_DELAY = 500;
/** A member that comes waits for the next heartbeat of each of the others, twice. */
const HEARTBEAT = 300;
const HEARTBEATS_PER_SESSION = 5;

/**
 * Being a member of a group: joining, heartbeats, and joining again whenever that is needed. Partitions change hands one
 * by one (cooperative rebalancing): who keeps one goes on with it undisturbed.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #complaints: Complaints;
  #consumer: Consumer | undefined;
  #standing: Standing | undefined;
  #left = false;
  #again: NodeJS.Timeout | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#complaints = new Complaints(options.settings.logger);
  }

  get standing(): Standing | undefined {
    return this.#standing;
  }

  /** Resolves when the group has taken us in. */
  async join(): Promise<void> {
    const { driver, settings, topic, group } = this.#options;
    const { session_timeout_ms } = settings;
    const consumer = new driver.Consumer({
      ...settings.base,
      groupId: group,
      // Heartbeats and joining are its own business; a bounded number, since it keeps the error of each.
      retries: RETRIES,
      retryDelay: RETRY_DELAY,
      groupProtocol: 'classic',
      sessionTimeout: session_timeout_ms,
      // The longest that a member which was killed can hold up the others.
      rebalanceTimeout: session_timeout_ms,
      heartbeatInterval: Math.min(HEARTBEAT, Math.round(session_timeout_ms / HEARTBEATS_PER_SESSION)),
      protocols: [{ name: 'cooperative-sticky', version: 3 }],
      partitionAssigner: stickyAssigner,
    });
    this.#consumer = consumer;
    consumer.on('consumer:group:join', () => this.#look(consumer));
    consumer.on('consumer:group:rebalance', () => this.#look(consumer));
    consumer.on('error', (error) => this.#lost(consumer, error));
    consumer.topics.track(topic);
    try {
      await consumer.joinGroup({});
    } catch (error) {
      void consumer.close(true).catch(() => {});
      throw error;
    }
    this.#complaints.over();
    this.#look(consumer);
  }

  /** What is assigned goes to others at once. */
  async leave(): Promise<void> {
    this.#left = true;
    clearTimeout(this.#again);
    const consumer = this.#consumer;
    this.#consumer = undefined;
    this.#standing = undefined;
    await consumer?.close(true).catch(() => {});
  }

  #look(consumer: Consumer): void {
    const { memberId, generationId, assignments } = consumer;
    if (consumer !== this.#consumer || memberId === null || this.#left) return;
    const before = this.#standing;
    // Every generation is joined by every member: whoever missed one may have lost everything in it.
    const stayed = before?.memberId === memberId && generationId <= before.generationId + 1;
    this.#standing = { memberId, generationId };
    const ours = assignments?.find(({ topic }) => topic === this.#options.topic)?.partitions ?? [];
    this.#options.assigned(ours, !stayed);
  }

  /** The package gives up where joining again fails; we do not. */
  #lost(consumer: Consumer, error: unknown): void {
    if (consumer !== this.#consumer || this.#left) return;
    const { settings, group, topic } = this.#options;
    const what = `the group ${group} of ${topic} was left and is joined again`;
    settings.logger.warn(kafkaError(what, settings.where, error).message, { topic, group });
    this.#consumer = undefined;
    this.#standing = undefined;
    void consumer.close(true).catch(() => {});
    this.#rejoin();
  }

  #rejoin(): void {
    this.#again = setTimeout(() => {
      if (this.#left) return;
      this.join().catch((error: unknown) => {
        const { settings, group, topic } = this.#options;
        const what = `the group ${group} of ${topic} cannot be joined`;
        this.#complaints.about(kafkaError(what, settings.where, error));
        if (!this.#left) this.#rejoin();
      });
    }, REJOIN_DELAY);
  }
}
