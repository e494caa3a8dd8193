import type { ChannelModel, ConfirmChannel } from 'amqplib';
import type { Topic } from '../broker.ts';
import { isFinal } from '../errors.ts';
import type { Outgoing } from '../outbox.ts';
import { rabbitError } from './errors.ts';
import type { Link } from './link.ts';
import { propertiesOf, routingKeyOf } from './messages.ts';
import type { Settings } from './options.ts';

export type PublisherOptions = {
  readonly link: Link;
  readonly settings: Settings;
  readonly topic: (name: string) => Topic;
  /** Declares everything again: somebody has removed a part of it. */
  readonly repair: (model: ChannelModel) => Promise<void>;
};

const RETRY_DELAY = 100;

/** Writes batches, each of which is confirmed by the server when it is on its disk. */
export class Publisher {
  readonly #options: PublisherOptions;
  #channel: ConfirmChannel | undefined;
  /** Numbers of messages that no queue wanted. */
  readonly #returned = new Set<string>();

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  async send(batch: readonly Outgoing[], signal: AbortSignal): Promise<void> {
    const { link, settings, repair } = this.#options;
    let left = batch;
    for (;;) {
      const model = await link.until(signal);
      if (model === undefined || signal.aborted)
        throw rabbitError('messages were not sent', settings.where, link.cause);
      try {
        const channel = await this.#open(model);
        // What it has not confirmed by then is nobody's any more.
        signal.addEventListener('abort', () => this.#leave(channel), { once: true });
        left = await this.#write(channel, left);
        if (left.length === 0) return;
        await repair(model);
      } catch (error) {
        const ours = rabbitError('messages were refused', settings.where, error);
        if (isFinal(ours)) throw ours;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
    }
  }

  /** Answers with those that were not confirmed, or that no queue has taken. */
  async #write(channel: ConfirmChannel, batch: readonly Outgoing[]): Promise<readonly Outgoing[]> {
    this.#returned.clear();
    const confirmed = batch.map(
      ({ topic, message }, index) =>
        new Promise<boolean>((resolve) => {
          const work = this.#options.topic(topic).kind === 'work';
          const properties = {
            ...propertiesOf(message),
            persistent: work,
            mandatory: work,
            messageId: String(index),
          };
          const content = Buffer.from(message.value);
          channel.publish(topic, routingKeyOf(message.key), content, properties, (error) =>
            resolve(error === null || error === undefined),
          );
        }),
    );
    const verdicts = await Promise.all(confirmed);
    return batch.filter((_, index) => verdicts[index] !== true || this.#returned.has(String(index)));
  }

  async #open(model: ChannelModel): Promise<ConfirmChannel> {
    if (this.#channel !== undefined) return this.#channel;
    const channel = await model.createConfirmChannel();
    const gone = () => this.#forget(channel);
    channel.on('error', gone);
    channel.on('close', gone);
    channel.on('return', (message) => this.#returned.add(String(message.properties.messageId)));
    this.#channel = channel;
    return channel;
  }

  #leave(channel: ConfirmChannel): void {
    if (this.#channel !== channel) return;
    this.#forget(channel);
    void channel.close().catch(() => {});
  }

  #forget(channel: ConfirmChannel): void {
    if (this.#channel === channel) this.#channel = undefined;
  }
}
