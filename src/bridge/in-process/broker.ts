import type { Logger } from '../../core/ports/logger.ts';
import type {
  Broker,
  BrokerState,
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  Message,
  News,
  NewsHandler,
  Topic,
} from '../broker.ts';
import { brokerAway, closed, noSuchTopic, sizeOfAll, wrongKind } from '../errors.ts';
import { within } from '../within.ts';
import { Member } from './member.ts';
import type { InProcessWorld } from './world.ts';

export type InProcessOptions = {
  readonly largest_message?: number;
  readonly publish_timeout_ms?: number;
  readonly logger?: Logger;
};

const where = 'in-process';
/** News that a listener who is paused misses no piece of; the oldest goes first. */
const MOST_NEWS = 10_000;

/** One connection to a broker inside the process: what one engine or bridge would have. */
export class InProcessBroker implements Broker {
  readonly largest_message: number;
  readonly #world: InProcessWorld;
  readonly #patience: number;
  readonly #logger: Logger;
  readonly #ends = new Set<() => void>();
  readonly #publishing = new Set<Promise<void>>();
  #closed = false;
  #killed = false;

  constructor(world: InProcessWorld, options: InProcessOptions = {}) {
    this.#world = world;
    this.largest_message = options.largest_message ?? 1_000_000;
    this.#patience = options.publish_timeout_ms ?? 30_000;
    this.#logger = options.logger ?? { debug() {}, info() {}, warn() {}, error() {} };
  }

  get state(): BrokerState {
    return this.#world.state;
  }

  async ensure(topics: readonly Topic[]): Promise<void> {
    await this.#reached('topics cannot be made ready');
    for (const topic of topics) this.#world.ensure(topic);
  }

  async publish(topic: string, messages: readonly Message[]): Promise<void> {
    sizeOfAll(topic, messages, this.largest_message);
    const target = this.#world.topic(topic);
    if (this.#closed) throw closed(where);
    const written = this.#reached(`messages for ${topic} cannot be published`).then(() =>
      target.write(messages),
    );
    this.#publishing.add(written);
    try {
      await written;
    } finally {
      this.#publishing.delete(written);
    }
  }

  async consume(options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    const topic = this.#world.topic(options.topic);
    if (topic.kind !== 'work') throw wrongKind(options.topic, 'consume');
    await this.#reached(`${options.topic} cannot be consumed`);
    const group = topic.group(options.group);
    const member = new Member({
      ...options,
      handler,
      logger: this.#logger,
      moved: () => topic.tidy(),
      reachable: () => this.#world.state === 'up',
    });
    group.join(member);
    const leave = () => group.leave(member);
    this.#ends.add(leave);
    return {
      pause: () => {
        member.paused = true;
      },
      resume: () => {
        member.paused = false;
        member.wake();
      },
      quiet: async () => {
        member.quiet = true;
      },
      stop: async () => {
        member.quiet = true;
        this.#ends.delete(leave);
        leave();
      },
    };
  }

  async subscribe(name: string, handler: NewsHandler): Promise<Consumer> {
    const topic = this.#world.topic(name);
    if (topic.kind !== 'news') throw wrongKind(name, 'subscribe');
    let [waiting, paused]: [News[], boolean] = [[], false];
    const flush = () => {
      if (paused || waiting.length === 0) return;
      const news = waiting;
      waiting = [];
      handler(news);
    };
    const listener = (news: readonly News[]) => {
      waiting = [...waiting, ...news].slice(-MOST_NEWS);
      setImmediate(flush);
    };
    topic.listeners.add(listener);
    const leave = () => {
      topic.listeners.delete(listener);
      waiting = [];
    };
    const stop = async () => {
      this.#ends.delete(leave);
      leave();
    };
    this.#ends.add(leave);
    return {
      pause: () => {
        paused = true;
      },
      resume: () => {
        paused = false;
        setImmediate(flush);
      },
      quiet: stop,
      stop,
    };
  }

  onState(listener: (state: BrokerState) => void): () => void {
    return this.#world.onChange(() => listener(this.#world.state));
  }

  async lag(group: string, topic: string): Promise<number> {
    return (await this.partitionLags(group, topic)).reduce((sum, one) => sum + one, 0);
  }

  async partitionLags(group: string, topic: string): Promise<readonly number[]> {
    await this.#reached(`the lag of ${group} cannot be read`);
    if (!this.#world.has(topic)) throw noSuchTopic(topic);
    return this.#world.topic(topic).lagsOf(group);
  }

  async close(deadline_ms: number): Promise<void> {
    this.#closed = true;
    await within(Promise.allSettled(this.#publishing), deadline_ms);
    this.kill();
  }

  /** Ends it as a crash of its process would. Acknowledgements count here as soon as they are given. */
  kill(): void {
    this.#closed = true;
    this.#killed = true;
    for (const end of this.#ends) end();
    this.#ends.clear();
  }

  /** Resolves in a later tick, as any broker would, and when this one is back. */
  #reached(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let forget = () => {};
      const look = () => {
        if (this.#killed) return end(() => reject(closed(where)));
        if (this.#world.state === 'up') return end(resolve);
        timer ??= setTimeout(() => end(() => reject(brokerAway(what, where))), this.#patience);
      };
      const end = (settle: () => void) => {
        clearTimeout(timer);
        forget();
        this.#ends.delete(look);
        settle();
      };
      forget = this.#world.onChange(look);
      this.#ends.add(look);
      setImmediate(look);
    });
  }
}
