import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import type { Delivery } from '../broker.ts';
import { newsOf } from './messages.ts';

export type SessionOptions = {
  readonly topic: string;
  readonly prefetch: number;
  /** Where messages come from; called with the channel that reads them. */
  readonly queue: (channel: Channel) => Promise<string>;
  readonly acknowledges: boolean;
  readonly came: (delivery: Delivery) => void;
  /** The channel has ended: with its connection, or because the server said so. */
  readonly ended: () => void;
};

/** One channel that reads one queue, as long as it lasts. What it has brought is lost with it. */
export class Session {
  readonly #channel: Channel;
  readonly #options: SessionOptions;
  readonly #loss = new AbortController();
  #tag = '';

  constructor(channel: Channel, options: SessionOptions) {
    this.#channel = channel;
    this.#options = options;
    const ended = () => {
      if (this.#loss.signal.aborted) return;
      this.#loss.abort();
      options.ended();
    };
    channel.on('error', ended);
    channel.on('close', ended);
  }

  static async open(model: ChannelModel, options: SessionOptions): Promise<Session> {
    const session = new Session(await model.createChannel(), options);
    const channel = session.#channel;
    if (options.acknowledges) await channel.prefetch(options.prefetch);
    const queue = await options.queue(channel);
    const reply = await channel.consume(queue, (message) => session.#came(message), {
      noAck: !options.acknowledges,
    });
    session.#tag = reply.consumerTag;
    return session;
  }

  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  /** Nothing comes any more. */
  async quiet(): Promise<void> {
    await this.#channel.cancel(this.#tag).catch(() => {});
  }

  /** Everything that was acknowledged is known to the server when this resolves; the rest goes to others. */
  async close(): Promise<void> {
    // From now on nothing can be acknowledged.
    this.#loss.abort();
    await this.#channel.close().catch(() => {});
  }

  #came(message: ConsumeMessage | null): void {
    // The queue was removed: the channel has nothing to read any more.
    if (message === null) return void this.#channel.close().catch(() => {});
    const { deliveryTag, redelivered } = message.fields;
    let open = true;
    const ack = () => {
      if (!open || this.#loss.signal.aborted) return;
      open = false;
      this.#channel.ack(message);
    };
    const place = `${this.#options.topic}/0/${deliveryTag}`;
    this.#options.came({ ...newsOf(message), place, redelivered, ack, lost: this.#loss.signal });
  }
}
