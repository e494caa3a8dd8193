import type { Json } from '../core/json.ts';
import type { Conversation } from './conversation.ts';
import type { EventFilter } from './event.ts';
import { settleUnder } from './limited.ts';
import { isObject } from './messages.ts';
import { Stream } from './stream.ts';

const settlings = [
  'task:completed',
  'task:failed',
  'task:reused',
  'task:cancelled',
  'task:skipped',
  'workflow:completed',
  'workflow:failed',
  'workflow:cancelled',
] as const satisfies EventFilter['events'];

const settledStatuses: readonly unknown[] = ['completed', 'failed', 'cancelled', 'skipped'];

export function isSettled(answer: Json): boolean {
  return isObject(answer) && settledStatuses.includes(answer['status']);
}

/** One who waits. */
type Ear = { news: boolean; failure: { readonly error: unknown } | null; wake: () => void };

/** Many who wait, over one subscription that tells of everything that settles. It lives while somebody waits. */
export class Crowd {
  readonly #conversation: Conversation;
  readonly #ears = new Map<string, Set<Ear>>();
  #stream: Stream | null = null;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Asks once the subscription is there and again when it tells of this one, so that nothing falls in between. */
  async settled(id: string, signal: AbortSignal, ask: () => Promise<Json>): Promise<Json> {
    const ear: Ear = { news: false, failure: null, wake: () => {} };
    this.#enter(id, ear);
    try {
      await this.#listening(signal);
      for (;;) {
        ear.news = false;
        const answer = await ask();
        if (isSettled(answer)) return answer;
        if (!ear.news) await woken(ear, signal);
        if (ear.failure !== null) throw ear.failure.error;
      }
    } finally {
      this.#leave(id, ear);
    }
  }

  #enter(id: string, ear: Ear): void {
    const ears = this.#ears.get(id);
    if (ears === undefined) this.#ears.set(id, new Set([ear]));
    else ears.add(ear);
  }

  #leave(id: string, ear: Ear): void {
    const ears = this.#ears.get(id);
    ears?.delete(ear);
    if (ears?.size === 0) this.#ears.delete(id);
    if (this.#ears.size > 0) return;
    void this.#stream?.return();
    this.#stream = null;
  }

  #listening(signal: AbortSignal): Promise<number> {
    const stream = this.#stream ?? this.#listen();
    return settleUnder<number>(signal, (resolve, reject) => {
      stream.subscribed().then(resolve, reject);
      return () => {};
    });
  }

  #listen(): Stream {
    const stream = new Stream(this.#conversation, { events: settlings }, undefined);
    this.#stream = stream;
    void this.#hearAll(stream);
    return stream;
  }

  async #hearAll(stream: Stream): Promise<void> {
    try {
      for await (const { event, task_id, workflow_id } of stream) {
        const id = event.startsWith('task:') ? task_id : workflow_id;
        for (const ear of this.#ears.get(id ?? '') ?? []) tell(ear, null);
      }
    } catch (error) {
      if (this.#stream !== stream) return;
      this.#stream = null;
      for (const ears of this.#ears.values()) for (const ear of ears) tell(ear, { error });
    }
  }
}

function tell(ear: Ear, failure: Ear['failure']): void {
  ear.news = true;
  ear.failure = failure;
  ear.wake();
}

function woken(ear: Ear, signal: AbortSignal): Promise<void> {
  return settleUnder<void>(signal, (resolve) => {
    ear.wake = resolve;
    return () => {
      ear.wake = () => {};
    };
  });
}
