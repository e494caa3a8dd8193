import type { Channel, ChannelModel } from 'amqplib';
import type { Consumer, Delivery } from '../broker.ts';
import { Complaints } from '../complaints.ts';
import { Handing } from '../handing.ts';
import { within } from '../within.ts';
import { rabbitError } from './errors.ts';
import type { Link } from './link.ts';
import type { Settings } from './options.ts';
import { Session } from './session.ts';

export type RabbitConsumerOptions = {
  readonly link: Link;
  readonly settings: Settings;
  readonly topic: string;
  readonly queue: (channel: Channel) => Promise<string>;
  readonly most_unacknowledged: number;
  readonly acknowledges: boolean;
  readonly handler: (deliveries: readonly Delivery[]) => void;
  /** Declares everything again: somebody may have removed a part of it. */
  readonly repair: (model: ChannelModel) => Promise<void>;
};

const RETRY_DELAY = 200;
/** The most that can be asked for. */
const LARGEST_PREFETCH = 65_535;
/** News that waits for a listener; the oldest goes first. */
const MOST_WAITING = 10_000;

/** Reads one queue, over one channel after the other. */
export class RabbitConsumer implements Consumer {
  readonly #options: RabbitConsumerOptions;
  readonly #handing: Handing<Delivery>;
  readonly #complaints: Complaints;
  #session: Session | undefined;
  #quiet = false;
  #again: NodeJS.Timeout | undefined;
  #forget = () => {};

  constructor(options: RabbitConsumerOptions) {
    this.#options = options;
    const { topic, handler, settings, acknowledges } = options;
    const bound = acknowledges ? {} : { most: MOST_WAITING };
    this.#complaints = new Complaints(settings.logger);
    this.#handing = new Handing({ topic, handler, logger: settings.logger, ...bound });
  }

  /** Resolves when the first channel reads. */
  start(): Promise<void> {
    this.#forget();
    return new Promise((resolve, reject) => {
      let first = true;
      this.#forget = this.#options.link.each((model) => {
        const opened = this.#open(model);
        if (first) opened.then(resolve, reject);
        else opened.catch((error: unknown) => this.#failed(error));
        first = false;
      });
    });
  }

  pause(): void {
    this.#handing.pause();
  }

  resume(): void {
    this.#handing.resume();
  }

  async quiet(): Promise<void> {
    this.#quiet = true;
    this.#handing.quiet();
    this.#forget();
    await this.#session?.quiet();
  }

  async stop(deadline_ms: number): Promise<void> {
    this.#quiet = true;
    this.#handing.quiet();
    this.#forget();
    clearTimeout(this.#again);
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined) await within(session.close(), deadline_ms);
  }

  async #open(model: ChannelModel): Promise<void> {
    const { topic, queue, acknowledges, most_unacknowledged, link } = this.#options;
    const session = await Session.open(model, {
      ...{ topic, queue, acknowledges, prefetch: Math.min(most_unacknowledged, LARGEST_PREFETCH) },
      came: (delivery) => this.#handing.add([delivery]),
      ended: () => this.#ended(),
    });
    // Somebody else was quicker, or it is not wanted any more.
    if (this.#quiet || link.model !== model || this.#session !== undefined) return session.close();
    this.#session = session;
    this.#complaints.over();
  }

  /** The channel ended, but its connection may still be there: another one reads on. */
  #ended(): void {
    if (this.#session?.lost.aborted) this.#session = undefined;
    this.#handing.keep(({ lost }) => !lost.aborted);
    // A session that cannot even be opened ends as well: it is tried again once, not twice.
    if (this.#quiet || this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#readOn().catch((error: unknown) => {
        this.#failed(error);
        this.#ended();
      });
    }, RETRY_DELAY);
  }

  async #readOn(): Promise<void> {
    const { model } = this.#options.link;
    // Without a connection there is nothing to do: the next one brings a session.
    if (this.#quiet || model === undefined || this.#session !== undefined) return;
    await this.#options.repair(model);
    await this.#open(model);
  }

  #failed(error: unknown): void {
    const { settings, topic } = this.#options;
    this.#complaints.about(rabbitError(`${topic} could not be read`, settings.where, error));
  }
}
