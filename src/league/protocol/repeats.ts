import { hash } from 'node:crypto';
import { canonicalJson } from '../../core/canonical.ts';
import type { Envelope } from './envelope.ts';

/** So many answers of one sender are remembered, the newest: who asks again does so within minutes. */
const MOST_ANSWERS = 1000;
/** Of so many senders, the newest: a player is asked under any name. */
const MOST_SENDERS = 2000;

/** What is asked, without when and in which conversation, and what it is proved by: the same again has the same mark. */
export function requestMark(message: { readonly envelope: Envelope; readonly payload: unknown }): string {
  const { timestamp: _, auth_token: __, conversation_id: ___, ...envelope } = message.envelope;
  // Both were read from JSON.
  const said = JSON.parse(JSON.stringify({ envelope, payload: message.payload ?? {} }));
  return hash('sha256', canonicalJson(said), 'base64url');
}

export type Asked = { readonly sender: string; readonly id: string | number; readonly mark: string };

type Remembered<Answer> = { readonly mark: string; readonly answer: Promise<Answer> };

/** Remembers what senders were answered, so that a question that comes again is answered by the same and done once. */
export class Repeats<Answer> {
  readonly #senders = new Map<string, Map<string, Remembered<Answer>>>();
  readonly #most: number;
  readonly #mostSenders: number;

  constructor(most = MOST_ANSWERS, mostSenders = MOST_SENDERS) {
    this.#most = most;
    this.#mostSenders = mostSenders;
  }

  /** Null: it was not asked before. `reused`: the same id came with another question. */
  find({ sender, id, mark }: Asked): Promise<Answer> | 'reused' | null {
    const known = this.#senders.get(sender)?.get(JSON.stringify(id));
    if (known === undefined) return null;
    return known.mark === mark ? known.answer : 'reused';
  }

  /** Also while the answer is on its way. One that comes to nothing is forgotten: it changed nothing. */
  learn({ sender, id, mark }: Asked, answer: Promise<Answer>): void {
    const of = this.#senders.get(sender) ?? new Map<string, Remembered<Answer>>();
    const key = JSON.stringify(id);
    const remembered = { mark, answer };
    renew(this.#senders, [sender, of], this.#mostSenders);
    renew(of, [key, remembered], this.#most);
    answer.catch(() => of.get(key) === remembered && this.forget({ sender, id }));
  }

  forget({ sender, id }: Omit<Asked, 'mark'>): void {
    const of = this.#senders.get(sender);
    of?.delete(JSON.stringify(id));
    // Anybody can make up names.
    if (of?.size === 0) this.#senders.delete(sender);
  }
}

/** Puts it behind all others, and lets the oldest go where there are too many. */
function renew<Value>(map: Map<string, Value>, [key, value]: readonly [string, Value], most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
