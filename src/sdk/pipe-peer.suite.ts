import type { Json } from '../core/json.ts';
import type { OpenPipe, PipeReceiver } from './pipe.ts';

export type Asked = {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, Json>>;
  /** Does nothing after the pipe is gone. */
  answer(result: Json): void;
  refuse(error: { readonly error_code: string; readonly [field: string]: Json }): void;
};

type Taker = { readonly method: string; readonly take: (asked: Asked) => void };

/** The other end of a client's pipes, played by a test. */
export class PipePeer {
  /** What the next openings are answered with instead of a pipe. */
  readonly troubles: unknown[] = [];
  openings = 0;
  #live: PipeReceiver | null = null;
  #asked: Asked[] = [];
  #takers: Taker[] = [];

  readonly open: OpenPipe = async (receiver) => {
    this.openings++;
    if (this.troubles.length > 0) throw this.troubles.shift();
    this.#live = receiver;
    return {
      send: (text) => this.#hear(receiver, text),
      close: () => {
        if (this.#live === receiver) this.#live = null;
      },
    };
  };

  get isOpen(): boolean {
    return this.#live !== null;
  }

  /** What was asked and not taken by the test yet. */
  get untaken(): readonly string[] {
    return this.#asked.map(({ method }) => method);
  }

  /** The next question of this method. */
  next(method: string): Promise<Asked> {
    const found = this.#asked.find((asked) => asked.method === method);
    this.#asked = this.#asked.filter((asked) => asked !== found);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((take) => this.#takers.push({ method, take }));
  }

  say(text: string): void {
    this.#live?.message(text);
  }

  event(subscription_id: string, cursor: number): void {
    const params = {
      subscription_id,
      cursor,
      event: 'task:queued',
      at: '2026-01-05T09:30:00.000Z',
      data: {},
    };
    this.say(JSON.stringify({ jsonrpc: '2.0', method: 'event', params }));
  }

  cut(reason = 'cut'): void {
    const live = this.#live;
    this.#live = null;
    live?.closed(reason);
  }

  #hear(receiver: PipeReceiver, text: string): void {
    const { id, method, params = {} } = JSON.parse(text) as Asked;
    const reply = (said: object) => {
      if (this.#live === receiver) receiver.message(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
    };
    const asked: Asked = {
      id,
      method,
      params,
      answer: (result) => reply({ result }),
      refuse: (data) => reply({ error: { code: 1, message: 'refused', data } }),
    };
    const taker = this.#takers.find((each) => each.method === method);
    if (taker === undefined) this.#asked.push(asked);
    else {
      this.#takers = this.#takers.filter((each) => each !== taker);
      taker.take(asked);
    }
  }
}
