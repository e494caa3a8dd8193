import { randomUUID } from 'node:crypto';
import type { ConsumeOptions, Consumer, DeliveryHandler } from '../broker.ts';
import { Complaints } from '../complaints.ts';
import { Handing } from '../handing.ts';
import { within } from '../within.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { Connection } from './connection.ts';
import { RedisDelivery } from './delivery.ts';
import type { Entry } from './entries.ts';
import { redisError, saysNoGroup } from './errors.ts';
import { Group, LONG_GONE } from './group.ts';
import type { Settings } from './options.ts';

export type RedisConsumerOptions = ConsumeOptions & {
  /** For acknowledgements; shared with others. */
  readonly desk: Connection;
  /** Only for this consumer: reading waits. */
  readonly reader: Connection;
  readonly settings: Settings;
  readonly handler: DeliveryHandler;
  /** Something was acknowledged: what is done with need not be kept. */
  readonly moved: () => void;
};

const READ_WAIT = 500;
const MOST_AT_ONCE = 500;
const LOOK_EVERY = 1000;
const RETRY_DELAY = 200;
const TOUCHES_PER_SESSION = 5;

/** One member of a group: reads what nobody has got yet, and takes over what others left. */
export class RedisConsumer implements Consumer {
  readonly #options: RedisConsumerOptions;
  readonly #open = new Map<string, RedisDelivery>();
  readonly #acks: Acknowledgements;
  readonly #handing: Handing<RedisDelivery>;
  readonly #stopping = new AbortController();
  readonly #complaints: Complaints;
  #group: Group;
  #epoch = 0;
  #looked = 0;
  #touched = performance.now();
  #room: (() => void) | undefined;
  #heart: NodeJS.Timeout | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: RedisConsumerOptions) {
    this.#options = options;
    this.#group = this.#newName();
    const { desk, settings, topic } = options;
    const handler = (deliveries: readonly RedisDelivery[]) => this.#hand(deliveries);
    this.#handing = new Handing({ topic, handler, logger: settings.logger });
    this.#complaints = new Complaints(settings.logger);
    this.#acks = new Acknowledgements(settings, (ids) => this.#group.acknowledge(desk, ids));
  }

  async join(): Promise<void> {
    const { desk, settings } = this.#options;
    await this.#group.create(desk);
    await this.#group.touch(desk);
    this.#touched = performance.now();
    this.#heart = setInterval(() => void this.#touch(), settings.session_timeout_ms / TOUCHES_PER_SESSION);
    this.#loop = this.#run();
  }

  pause(): void {
    this.#handing.pause();
  }

  resume(): void {
    this.#handing.resume();
    this.#room?.();
  }

  async quiet(): Promise<void> {
    this.#handing.quiet();
  }

  async stop(deadline_ms: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#handing.quiet();
    this.#stopping.abort();
    clearInterval(this.#heart);
    this.#options.reader.close();
    this.#room?.();
    await within(this.#leave(), deadline_ms);
    this.#acks.stop();
    this.#loseAll();
  }

  async #leave(): Promise<void> {
    await this.#loop;
    await this.#acks.flush();
    await this.#group.leave(this.#options.desk);
  }

  async #run(): Promise<void> {
    const { reader, settings, topic, group } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await reader.untilReady(signal);
      if (signal.aborted) return;
      try {
        await this.#round();
        this.#complaints.over();
      } catch (error) {
        if (signal.aborted) return;
        // What came with an answer that was cut off is with us all the same.
        this.#epoch = -1;
        if (saysNoGroup(error)) await this.#group.create(reader).catch(() => {});
        const what = `${topic} could not be read for the group ${group}`;
        this.#complaints.about(redisError(what, settings.where, error));
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
  }

  async #round(): Promise<void> {
    const { reader, settings } = this.#options;
    const now = performance.now();
    if (now - this.#touched > LONG_GONE / 2) this.#beginAnew();
    const epoch = reader.epoch;
    const silent = now - this.#touched > settings.session_timeout_ms;
    if (epoch !== this.#epoch || silent) {
      await this.#touch();
      await this.#compare();
      this.#epoch = epoch;
    }
    const most = Math.min(this.#free(), MOST_AT_ONCE);
    if (most > 0 && now - this.#looked > LOOK_EVERY) {
      this.#looked = now;
      this.#arrived(await this.#group.takeOver(reader, most, settings.session_timeout_ms), true);
    } else if (most > 0) {
      this.#arrived(await this.#group.read(reader, most, READ_WAIT), false);
    } else {
      await this.#untilRoom();
    }
  }

  async #touch(): Promise<void> {
    const asked = performance.now();
    try {
      await this.#group.touch(this.#options.desk);
      this.#touched = asked;
    } catch (error) {
      if (saysNoGroup(error)) await this.#group.create(this.#options.desk).catch(() => {});
    }
  }

  /** Holds what we have against what the server has given us: both may have lost something of the other. */
  async #compare(): Promise<void> {
    const known = new Set([...this.#open.keys(), ...this.#handing.waiting.map(({ id }) => id)]);
    for await (const page of this.#group.mine(this.#options.reader)) {
      const missed = page.filter(({ id }) => !known.has(id) && !this.#acks.has(id));
      for (const { id } of page) known.delete(id);
      this.#arrived(missed, true);
    }
    for (const id of known) this.#open.get(id)?.lose();
    for (const id of known) this.#open.delete(id);
    this.#handing.keep(({ id }) => !known.has(id));
  }

  /** The name may have been removed for having been silent: nothing is ours any more. */
  #beginAnew(): void {
    this.#loseAll();
    this.#group = this.#newName();
    this.#touched = performance.now();
  }

  #newName(): Group {
    const { topic, group, settings } = this.#options;
    return new Group(topic, group, `${settings.client_id}.${randomUUID()}`);
  }

  #loseAll(): void {
    for (const delivery of this.#open.values()) delivery.lose();
    this.#open.clear();
    this.#handing.keep(() => false);
  }

  #free(): number {
    if (!this.#handing.open) return 0;
    return this.#options.most_unacknowledged - this.#open.size - this.#handing.waiting.length;
  }

  #untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#room?.(), LOOK_EVERY);
      this.#room = () => {
        clearTimeout(timer);
        this.#room = undefined;
        resolve();
      };
    });
  }

  #arrived(entries: readonly Entry[], redelivered: boolean): void {
    const { topic } = this.#options;
    const done = (delivery: RedisDelivery) => this.#done(delivery);
    this.#handing.add(entries.map((entry) => new RedisDelivery(entry, { topic, redelivered, done })));
  }

  #done(delivery: RedisDelivery): void {
    if (this.#open.get(delivery.id) !== delivery) return;
    this.#open.delete(delivery.id);
    this.#acks.add(delivery.id);
    this.#options.moved();
    this.#room?.();
  }

  #hand(deliveries: readonly RedisDelivery[]): void {
    for (const delivery of deliveries) this.#open.set(delivery.id, delivery);
    this.#options.handler(deliveries);
  }
}
