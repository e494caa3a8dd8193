import type { Json } from '../core/json.ts';
import { type RpcParams, requestText } from '../rpc/messages.ts';
import { Line, type LineParts } from './line.ts';
import { readMessage } from './messages.ts';
import { callError, closedClient, cutOff } from './problems.ts';

export type Settled = { readonly result: Json } | { readonly error: Error };

export type Question = {
  readonly method: string;
  readonly params?: RpcParams | undefined;
  /** What becomes of it when the connection is lost. `reject`: unless it was not sent. `drop`: nobody misses it. */
  readonly after_cut: 'again' | 'reject' | 'drop';
  /** Called at most once, before anything that arrives later is looked at. */
  readonly settle: (settled: Settled) => void;
};

/** Whoever hears more than answers. */
export interface Member {
  opened(): void;
  cut(): void;
  /** It is not tried any longer. */
  failed(error: Error): void;
  /** By the client itself. */
  closed(): void;
}

export type Notification = Readonly<Record<string, Json>>;

type Asked = Question & { readonly id: number; readonly text: string; sent: boolean; wanted: boolean };

/** Questions and answers, and events, over a line that may be lost and come back. */
export class Conversation {
  readonly url: string;
  readonly #line: Line;
  readonly #asked = new Map<unknown, Asked>();
  readonly #members = new Set<Member>();
  readonly #subscriptions = new Map<unknown, (event: Notification) => void>();
  #lastId = 0;
  /** Questions somebody waits for the answer of. */
  #wanted = 0;
  #closed = false;

  constructor(parts: Omit<LineParts, 'user'>) {
    this.url = parts.url;
    const user = {
      isWanted: () => this.#isWanted(),
      opened: () => this.#opened(),
      received: (text: string) => this.#received(text),
      cut: () => this.#cut(),
      gaveUp: (error: Error) => this.#endAll(error),
      probe: () => this.#probe(),
    };
    this.#line = new Line({ ...parts, user });
  }

  get isUp(): boolean {
    return this.#line.isUp;
  }

  /** What the server has not answered yet, whether or not anybody still wants to know. */
  get unanswered(): number {
    return this.#asked.size;
  }

  /** Returns what takes it back. */
  ask(question: Question): () => void {
    const id = ++this.#lastId;
    const asked = { ...question, id, text: requestText({ ...question, id }), sent: false, wanted: true };
    if (this.#closed) {
      question.settle({ error: closedClient(this.url) });
      return () => {};
    }
    this.#asked.set(asked.id, asked);
    this.#wanted++;
    this.#send(asked);
    return () => this.#forget(asked);
  }

  /** Returns what takes it out again. */
  join(member: Member): () => void {
    if (this.#closed) {
      member.failed(closedClient(this.url));
      return () => {};
    }
    this.#members.add(member);
    if (this.isUp) member.opened();
    else this.#line.need();
    return () => {
      this.#members.delete(member);
      this.#restIfIdle();
    };
  }

  /** Hands on the events of a subscription; what the connection is cut from ends with it. */
  follow(subscription_id: string, take: (event: Notification) => void): void {
    this.#subscriptions.set(subscription_id, take);
  }

  unfollow(subscription_id: string): void {
    this.#subscriptions.delete(subscription_id);
    if (!this.isUp) return;
    this.ask({
      method: 'event.unsubscribe',
      params: { subscription_id },
      after_cut: 'drop',
      settle: () => {},
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#line.close();
    for (const member of [...this.#members]) member.closed();
    this.#endAll(closedClient(this.url));
  }

  #isWanted(): boolean {
    return this.#members.size > 0 || this.#wanted > 0;
  }

  #send(asked: Asked): void {
    asked.sent = this.#line.send(asked.text);
  }

  #forget(asked: Asked): void {
    // What was sent keeps its place: the server is still at it.
    if (asked.sent) this.#unwant(asked);
    else this.#remove(asked);
    this.#restIfIdle();
  }

  #settle(asked: Asked, settled: Settled): void {
    if (this.#remove(asked)) asked.settle(settled);
    this.#restIfIdle();
  }

  /** Whether anybody wanted to know. */
  #remove(asked: Asked): boolean {
    this.#asked.delete(asked.id);
    return this.#unwant(asked);
  }

  #unwant(asked: Asked): boolean {
    const { wanted } = asked;
    asked.wanted = false;
    if (wanted) this.#wanted--;
    return wanted;
  }

  #restIfIdle(): void {
    if (!this.#isWanted()) this.#line.rest();
  }

  #opened(): void {
    for (const asked of [...this.#asked.values()]) this.#send(asked);
    for (const member of [...this.#members]) member.opened();
  }

  #received(text: string): void {
    const message = readMessage(text);
    if (message?.kind === 'notification') {
      if (message.method !== 'event') return;
      const { subscription_id, ...event } = message.params;
      this.#subscriptions.get(subscription_id)?.(event);
    } else if (message !== null) {
      const asked = this.#asked.get(message.id);
      if (asked === undefined) return;
      const { answer } = message;
      this.#settle(asked, 'error' in answer ? { error: callError(asked.method, answer.error) } : answer);
    }
  }

  #cut(): void {
    this.#subscriptions.clear();
    for (const asked of [...this.#asked.values()]) {
      const { sent, after_cut, wanted } = asked;
      asked.sent = false;
      if (after_cut === 'drop' || !wanted) this.#remove(asked);
      else if (sent && after_cut === 'reject') this.#settle(asked, { error: cutOff(this.url, asked.method) });
    }
    for (const member of [...this.#members]) member.cut();
  }

  #endAll(error: Error): void {
    this.#subscriptions.clear();
    for (const asked of [...this.#asked.values()]) this.#settle(asked, { error });
    for (const member of [...this.#members]) member.failed(error);
  }

  #probe(): void {
    this.ask({ method: 'system.info', after_cut: 'drop', settle: () => {} });
  }
}
