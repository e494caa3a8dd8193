import type { Admin } from '@platformatic/kafka';
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
import { Outbox } from '../outbox.ts';
import { patiently } from '../patiently.ts';
import { Presence } from '../presence.ts';
import { within } from '../within.ts';
import { KafkaConsumer } from './consumer.ts';
import { type Driver, loadKafka } from './driver.ts';
import { kafkaError } from './errors.ts';
import { KafkaListener } from './listener.ts';
import { type KafkaOptions, type Settings, settingsOf } from './options.ts';
import { Publisher } from './publisher.ts';
import { Pulse } from './pulse.ts';
import { ensureTopics, lagsOf } from './topics.ts';

/** A connection to Kafka. Opening it does not wait for the broker: whatever is done first does. */
export async function openKafka(options: KafkaOptions): Promise<KafkaBroker> {
  return new KafkaBroker(await loadKafka(), settingsOf(options));
}

/** What is published together: a batch for one partition must not be larger than one message may be. */
const MOST_MESSAGES = 5000;

export class KafkaBroker implements Broker {
  readonly largest_message: number;
  readonly #driver: Driver;
  readonly #settings: Settings;
  readonly #admin: Admin;
  readonly #presence = new Presence();
  readonly #topics = new Named();
  readonly #publisher: Publisher;
  readonly #outbox: Outbox;
  readonly #pulse: Pulse;
  readonly #consumers = new Set<Consumer>();
  #closed = false;

  constructor(driver: Driver, settings: Settings) {
    this.#driver = driver;
    this.#settings = settings;
    this.largest_message = settings.largest_message;
    this.#admin = new driver.Admin(settings.base);
    this.#pulse = new Pulse(this.#admin, this.#presence);
    this.#publisher = new Publisher(driver, settings);
    this.#outbox = new Outbox({
      where: settings.where,
      publish_timeout_ms: settings.publish_timeout_ms,
      most_bytes: settings.largest_message,
      most_messages: MOST_MESSAGES,
      send: (batch, signal) => this.#publisher.send(batch, signal),
    });
  }

  get state(): BrokerState {
    return this.#presence.state;
  }

  onState(listener: (state: BrokerState) => void): () => void {
    return this.#presence.on(listener);
  }

  async ensure(topics: readonly Topic[]): Promise<void> {
    const names = topics.map(({ name }) => name).join(', ');
    await this.#try(`the topics ${names} are not ready`, () =>
      ensureTopics(this.#admin, topics, this.#settings),
    );
    this.#topics.name(topics);
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    this.#topics.check(topic);
    sizeOfAll(topic, messages, this.largest_message);
    await this.#outbox.publish(topic, messages);
  }

  async consume(options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    this.#topics.check(options.topic, 'consume');
    const made = () =>
      new KafkaConsumer({ ...options, handler, driver: this.#driver, settings: this.#settings });
    const what = `the group ${options.group} of ${options.topic} cannot be joined`;
    return this.#started(what, made, (consumer) => consumer.join());
  }

  async subscribe(topic: string, handler: NewsHandler): Promise<Consumer> {
    this.#topics.check(topic, 'subscribe');
    const made = () => new KafkaListener({ topic, handler, driver: this.#driver, settings: this.#settings });
    return this.#started(`nothing can be heard of ${topic}`, made, (listener) => listener.start());
  }

  async lag(group: string, topic: string): Promise<number> {
    return (await this.partitionLags(group, topic)).reduce((sum, one) => sum + one, 0);
  }

  partitionLags(group: string, topic: string): Promise<readonly number[]> {
    const { where } = this.#settings;
    return this.#try(`the lag of ${group} cannot be read`, () =>
      lagsOf(this.#admin, { group, topic, where }),
    );
  }

  async close(deadline_ms: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#pulse.stop();
    await Promise.all([
      this.#outbox.close(deadline_ms),
      ...[...this.#consumers].map((consumer) => consumer.stop(deadline_ms)),
    ]);
    await within(Promise.allSettled([this.#publisher.close(), this.#admin.close()]), deadline_ms);
  }

  async #started<Made extends Consumer>(
    what: string,
    make: () => Made,
    start: (made: Made) => Promise<void>,
  ) {
    const made: Made[] = [];
    try {
      return await this.#try(what, async () => {
        // One that has failed is not tried again: its parts are closed.
        await made.pop()?.stop(0);
        const consumer = make();
        made.push(consumer);
        this.#consumers.add(consumer);
        await start(consumer);
        return consumer;
      });
    } catch (error) {
      await made.pop()?.stop(0);
      throw error;
    }
  }

  /** Again and again while the broker is away, as long as publishing would wait. */
  #try<Value>(what: string, action: () => Promise<Value>): Promise<Value> {
    const { where, publish_timeout_ms } = this.#settings;
    const silence = () => brokerAway(what, where);
    return patiently({ patience_ms: publish_timeout_ms, silence }, async () => {
      if (this.#closed) throw closed(where);
      try {
        return { value: await action() };
      } catch (error) {
        const ours = kafkaError(what, where, error);
        return { again: !isFinal(ours) && !this.#closed, error: ours };
      }
    });
  }
}
