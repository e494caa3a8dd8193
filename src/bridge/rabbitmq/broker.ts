import type { Channel, ChannelModel } from 'amqplib';
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
import { RabbitConsumer, type RabbitConsumerOptions } from './consumer.ts';
import { type Driver, loadAmqp } from './driver.ts';
import { rabbitError } from './errors.ts';
import { Link } from './link.ts';
import { type RabbitOptions, type Settings, settingsOf } from './options.ts';
import { Publisher } from './publisher.ts';
import { declare, lagOf, queueOf } from './topology.ts';

/** A connection to RabbitMQ. Opening it does not wait for the server: whatever is done first does. */
export async function openRabbit(options: RabbitOptions): Promise<RabbitBroker> {
  return new RabbitBroker(await loadAmqp(), settingsOf(options));
}

const MOST_MESSAGES = 1000;
const MOST_BYTES = 4 * 1024 * 1024;

export class RabbitBroker implements Broker {
  readonly largest_message: number;
  readonly #settings: Settings;
  readonly #link: Link;
  readonly #presence = new Presence();
  readonly #topics = new Named();
  readonly #outbox: Outbox;
  readonly #consumers = new Set<Consumer>();
  #closed = false;

  constructor(driver: Driver, settings: Settings) {
    this.#settings = settings;
    this.largest_message = settings.largest_message;
    const link = new Link(driver, settings, (up) => this.#presence.become(up ? 'up' : 'away'));
    this.#link = link;
    const publisher = new Publisher({
      link,
      settings,
      topic: (name) => this.#topics.check(name),
      repair: (model) => this.#repair(model),
    });
    this.#outbox = new Outbox({
      where: settings.where,
      publish_timeout_ms: settings.publish_timeout_ms,
      most_bytes: MOST_BYTES,
      most_messages: MOST_MESSAGES,
      send: (batch, signal) => publisher.send(batch, signal),
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
    await this.#try(`the topics ${names} are not ready`, (model) => declare(model, topics));
    this.#topics.name(topics);
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    this.#topics.check(topic);
    sizeOfAll(topic, messages, this.largest_message);
    await this.#outbox.publish(topic, messages);
  }

  async consume(options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    const { topic, group } = options;
    const known = this.#topics.check(topic, 'consume');
    // A group that was not named begins here.
    const named = { ...known, groups: [...new Set([...(known.groups ?? []), group])] };
    await this.ensure([named]);
    return this.#started({
      ...options,
      acknowledges: true,
      handler,
      queue: async () => queueOf(topic, group),
    });
  }

  async subscribe(topic: string, handler: NewsHandler): Promise<Consumer> {
    this.#topics.check(topic, 'subscribe');
    const queue = async (channel: Channel) => {
      const { queue: name } = await channel.assertQueue('', { exclusive: true, autoDelete: true });
      await channel.bindQueue(name, topic, '');
      return name;
    };
    return this.#started({ topic, most_unacknowledged: 0, acknowledges: false, handler, queue });
  }

  lag(group: string, topic: string): Promise<number> {
    return this.#try(`the lag of ${group} cannot be read`, (model) => lagOf(model, topic, group));
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
    await within(this.#link.close(), deadline_ms);
  }

  #repair(model: ChannelModel): Promise<void> {
    return declare(model, this.#topics.all());
  }

  async #started(options: StartOptions): Promise<Consumer> {
    const repair = (model: ChannelModel) => this.#repair(model);
    const consumer = new RabbitConsumer({ ...options, link: this.#link, settings: this.#settings, repair });
    this.#consumers.add(consumer);
    try {
      await this.#try(`${options.topic} cannot be read`, () => consumer.start());
      return consumer;
    } catch (error) {
      await consumer.stop(0);
      this.#consumers.delete(consumer);
      throw error;
    }
  }

  /** Again and again while the server is away, as long as publishing would wait. */
  #try<Value>(what: string, action: (model: ChannelModel) => Promise<Value>): Promise<Value> {
    const { where, publish_timeout_ms } = this.#settings;
    const silence = () => brokerAway(what, where);
    return patiently({ patience_ms: publish_timeout_ms, silence }, async () => {
      if (this.#closed) throw closed(where);
      try {
        const model = this.#link.model;
        if (model === undefined) throw this.#link.cause ?? new Error('there is no connection yet');
        return { value: await action(model) };
      } catch (error) {
        const ours = rabbitError(what, where, error);
        return { again: !isFinal(ours) && !this.#closed, error: ours };
      }
    });
  }
}

type StartOptions = Omit<RabbitConsumerOptions, 'link' | 'settings' | 'repair'>;
