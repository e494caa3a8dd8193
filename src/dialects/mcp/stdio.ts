import { isObject, own } from '../../core/json.ts';
import type { Channel, ChannelNotification } from '../../rpc/channel.ts';
import { answerLimits, type ChannelFactories } from '../provider-type.ts';
import { type Carrier, type Ears, PROGRESS, type Request, type Telling } from './carrier.ts';
import { patiently } from './patiently.ts';
import type { Note, Said } from './said.ts';

export type Program = {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string | null;
  readonly env: () => Readonly<Record<string, string>>;
};

/** A server that is a program, spoken to over its standard input and output: one message a line. */
export class StdioCarrier implements Carrier {
  readonly over_http = false;
  readonly #channel: Channel;
  readonly #ears: Ears;
  readonly #listeners = new Map<string, (note: Note) => void>();
  #life = 0;

  constructor(channels: Pick<ChannelFactories, 'stdio'>, program: Program, ears: Ears) {
    this.#ears = ears;
    this.#channel = channels.stdio({
      ...program,
      framing: 'lines',
      limits: answerLimits,
      notified: (message) => this.#hear(message),
      asked: (message) => ears.asked(message),
      ended: () => this.#life++,
    });
  }

  get life(): number {
    return this.#life;
  }

  async send({ id, method, params, signal, heard }: Request): Promise<Said> {
    this.#listeners.set(id, heard);
    try {
      const answer = await this.#channel.call({ id, method, params, signal });
      return { answer, status: null, text: '', session: null };
    } finally {
      this.#listeners.delete(id);
    }
  }

  notify({ method, params }: Note, { signal }: Telling): Promise<void> {
    return patiently(this.#channel.notify({ method, params }), signal);
  }

  renew(silent_ms: number): void {
    this.#channel.renew?.(silent_ms);
  }

  warm(): void {
    this.#channel.warm?.();
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  #hear({ method, params }: ChannelNotification): void {
    const note = { method, params: isObject(params) ? params : {} };
    const listener = this.#listeners.get(String(own(note.params, 'progressToken')));
    if (method !== PROGRESS) this.#ears.noted(note);
    else listener?.(note);
  }
}
