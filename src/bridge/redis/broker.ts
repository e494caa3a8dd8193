import type {
  Broker,
  BrokerState,
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  Message,
  NewsHandler,
  Topic,
} from '../broker.ts';
import { brokerAway, closed, isFinal, sizeOfAll } from '../errors.ts';
import { Named } from '../named.ts';
import { Outbox, type Outgoing } from '../outbox.ts';
import { patiently } from '../patiently.ts';
import { Presence } from '../presence.ts';
import { Connection } from './connection.ts';
import { RedisConsumer } from './consumer.ts';
import { type Driver, loadRedis } from './driver.ts';
import { warnIfForgetful } from './durability.ts';
import { fieldsOf, packNews } from './entries.ts';
import { redisError } from './errors.ts';
import { Group } from './group.ts';
import { RedisListener } from './listener.ts';
import { type RedisOptions, type Settings, settingsOf } from './options.ts';
import { lagOf, trim } from './streams.ts';

/** A connection to Redis. Opening it does not wait for the server: whatever is done first does. */
export async function openRedis(options: RedisOptions): Promise<RedisBroker> {
  return new RedisBroker(await loadRedis(), settingsOf(options));
}

const MOST_MESSAGES = 1000;
const MOST_BYTES = 4 * 1024 * 1024;
/** Work that no group takes: about so much of it is kept for people to look at. */
const KEPT_FOR_NOBODY = 10_000;
const TRIM_EVERY = 5000;

/** Topics are streams of the same name, and news is published on channels. */
export class RedisBroker implements Broker {
  readonly largest_message: number;
  readonly #driver: Driver;
  readonly #settings: Settings;
  readonly #desk: Connection;
  readonly #presence = new Presence();
  readonly #topics = new Named();
  readonly #outbox: Outbox;
  readonly #consumers = new Set<Consumer>();
  readonly #trims = new Map<string, NodeJS.Timeout>();
  #looked = false;
  #closed = false;

  constructor(driver: Driver, settings: Settings) {
    this.#driver = driver;
    this.#settings = settings;
    this.largest_message = settings.largest_message;
    this.#desk = new Connection(driver, settings, (ready) => this.#presence.become(ready ? 'up' : 'away'));
    this.#outbox = new Outbox({
      where: settings.where,
      publish_timeout_ms: settings.publish_timeout_ms,
      most_bytes: MOST_BYTES,
      most_messages: MOST_MESSAGES,
      send: (batch, signal) => this.#send(batch, signal),
    });
  }

  get state(): BrokerState {
    return this.#presence.state;
  }

  onState(listener: (state: BrokerState) => void): () => void {
    return this.#presence.on(listener);
  }

  async ensure(topics: readonly Topic[]): Promise<void> {
    for (const { name, kind, groups = [] } of topics)
      for (const group of kind === 'work' ? groups : [])
        await this.#try(`the group ${group} of ${name} is not ready`, () =>
          new Group(name, group, '').create(this.#desk),
        );
    this.#topics.name(topics);
    if (this.#looked) return;
    this.#looked = true;
    await warnIfForgetful(this.#desk, this.#settings);
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    this.#topics.check(topic);
    sizeOfAll(topic, messages, this.largest_message);
    await this.#outbox.publish(topic, messages);
  }

  async consume(options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    this.#topics.check(options.topic, 'consume');
    const reader = this.#desk.another(this.#driver);
    const moved = () => this.#trimSoon(options.topic);
    const parts = { desk: this.#desk, reader, settings: this.#settings, handler, moved };
    const consumer = new RedisConsumer({ ...options, ...parts });
    const what = `the group ${options.group} of ${options.topic} cannot be joined`;
    return this.#started(what, consumer, () => consumer.join());
  }

  async subscribe(topic: string, handler: NewsHandler): Promise<Consumer> {
    this.#topics.check(topic, 'subscribe');
    const { logger } = this.#settings;
    const listener = new RedisListener(this.#desk.another(this.#driver), { topic, handler, logger });
    return this.#started(`nothing can be heard of ${topic}`, listener, () => listener.start());
  }

  lag(group: string, topic: string): Promise<number> {
    return this.#try(`the lag of ${group} cannot be read`, () => lagOf(this.#desk, topic, group));
  }

  async partitionLags(): Promise<readonly number[]> {
    return [];
  }

  async close(deadline_ms: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([
      this.#outbox.close(deadline_ms),
      ...[...this.#consumers].map((consumer) => consumer.stop(deadline_ms)),
    ]);
    for (const timer of this.#trims.values()) clearTimeout(timer);
    this.#desk.close();
  }

  async #send(batch: readonly Outgoing[], signal: AbortSignal): Promise<void> {
    let left = batch;
    while (left.length > 0) {
      await this.#desk.untilReady(signal);
      if (signal.aborted) throw redisError('messages were not sent', this.#settings.where, this.#desk.cause);
      const answers = await Promise.allSettled(left.map((outgoing) => this.#write(outgoing)));
      const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
      for (const failure of failures) {
        const error = redisError('messages were refused', this.#settings.where, failure);
        if (isFinal(error)) throw error;
      }
      // Cut off: what was not answered may have been written, and is written again.
      left = left.filter((_, index) => answers[index]?.status === 'rejected');
      if (left.length > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
    }
  }

  #write({ topic, message }: Outgoing): Promise<unknown> {
    const { kind, groups = [] } = this.#topics.check(topic);
    if (kind === 'news') return this.#desk.ask('PUBLISH', topic, packNews(message));
    const bound = groups.length === 0 ? ['MAXLEN', '~', KEPT_FOR_NOBODY] : [];
    return this.#desk.ask('XADD', topic, ...bound, '*', ...fieldsOf(message));
  }

  #trimSoon(topic: string): void {
    if (this.#trims.has(topic) || this.#closed) return;
    const timer = setTimeout(() => {
      this.#trims.delete(topic);
      trim(this.#desk, topic).catch(() => {});
    }, TRIM_EVERY);
    timer.unref();
    this.#trims.set(topic, timer);
  }

  async #started(what: string, consumer: Consumer, start: () => Promise<void>): Promise<Consumer> {
    try {
      await this.#try(what, start);
    } catch (error) {
      await consumer.stop(0);
      throw error;
    }
    this.#consumers.add(consumer);
    return consumer;
  }

  /** Again and again while the server is away, as long as publishing would wait. */
  #try<Value>(what: string, action: () => Promise<Value>): Promise<Value> {
    const { where, publish_timeout_ms } = this.#settings;
    const silence = () => brokerAway(what, where);
    return patiently({ patience_ms: publish_timeout_ms, silence }, async () => {
      if (this.#closed) throw closed(where);
      try {
        return { value: await action() };
      } catch (error) {
        // The package says that it is not connected; why it is not says more.
        const ours = redisError(what, where, this.#desk.cause ?? error);
        return { again: !isFinal(ours) && !this.#closed, error: ours };
      }
    });
  }
}

const RETRY_DELAY = 100;
