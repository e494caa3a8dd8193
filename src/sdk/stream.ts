import { backoffMs } from '../rpc/websocket/backoff.ts';
import type { Conversation, Member, Notification, Settled } from './conversation.ts';
import { CallError } from './errors.ts';
import type { EventFilter, EventStream, GleitzeitEvent } from './event.ts';
import { type End, Handover } from './handover.ts';
import { isObject } from './messages.ts';
import { endedEarly, mayPass } from './problems.ts';

/** Events held for a consumer that is slower than they come. Then no more are taken before most of these are gone. */
const MOST_HELD = 1024;
const FEW_HELD = MOST_HELD / 4;
/** How long until a server that is there and cannot is asked again. */
const again = { first_ms: 500, longest_ms: 10_000 };

type Result = IteratorResult<GleitzeitEvent, undefined>;

/**
 * Events of one subscription after the other. It knows the newest event it has taken; a new subscription goes on from
 * there, after a cut as after a time when there was no room.
 */
export class Stream implements EventStream {
  readonly #conversation: Conversation;
  readonly #filter: EventFilter;
  readonly #signal: AbortSignal | undefined;
  readonly #handover = new Handover<GleitzeitEvent>();
  readonly #begun = Promise.withResolvers<number>();
  /** Everything up to here was taken. Undefined until the server has said where it begins. */
  #cursor: number | undefined;
  /** `asked`: under way, so that its id is not known yet. */
  #subscription: { readonly id: string } | 'asked' | 'none' = 'none';
  #full = false;
  #leave: (() => void) | null = null;
  #refusals = 0;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(conversation: Conversation, filter: EventFilter, signal: AbortSignal | undefined) {
    this.#conversation = conversation;
    this.#filter = filter;
    this.#cursor = filter.cursor;
    this.#signal = signal;
    // Whoever does not ask when it begins need not hear that it does not.
    this.#begun.promise.catch(() => {});
  }

  subscribed(): Promise<number> {
    this.#start();
    return this.#begun.promise;
  }

  next(): Promise<Result> {
    this.#start();
    const taken = this.#handover.take();
    if (this.#full && this.#handover.held <= FEW_HELD) {
      this.#full = false;
      this.#subscribe();
    }
    return taken;
  }

  return(): Promise<Result> {
    this.#finish('quiet');
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): EventStream {
    return this;
  }

  readonly #member: Member = {
    opened: () => this.#subscribe(),
    cut: () => {
      clearTimeout(this.#again);
      this.#subscription = 'none';
    },
    failed: (error) => this.#finish({ error }),
    closed: () => this.#finish('quiet'),
  };

  readonly #aborted = () => this.#finish({ error: this.#signal?.reason });

  get #isOver(): boolean {
    return this.#handover.isOver;
  }

  #start(): void {
    if (this.#leave !== null || this.#isOver) return;
    // Joining may end it at once, before it is known how to leave.
    this.#leave = () => {};
    if (this.#signal?.aborted === true) this.#aborted();
    else {
      this.#signal?.addEventListener('abort', this.#aborted);
      const leave = this.#conversation.join(this.#member);
      if (this.#isOver) leave();
      else this.#leave = leave;
    }
  }

  #subscribe(): void {
    const { isUp } = this.#conversation;
    if (this.#isOver || this.#full || !isUp || this.#subscription !== 'none') return;
    clearTimeout(this.#again);
    this.#subscription = 'asked';
    const from = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    this.#conversation.ask({
      method: 'event.subscribe',
      params: { ...this.#filter, ...from },
      after_cut: 'drop',
      settle: (settled) => this.#subscribedTo(settled),
    });
  }

  #subscribedTo(settled: Settled): void {
    this.#subscription = 'none';
    const { subscription_id: id, cursor } = answered(settled);
    if ('error' in settled) this.#refused(settled.error);
    else if (typeof id !== 'string' || typeof cursor !== 'number') return;
    else if (this.#isOver) this.#conversation.unfollow(id);
    else {
      this.#subscription = { id };
      this.#refusals = 0;
      this.#cursor ??= cursor;
      this.#begun.resolve(this.#cursor);
      this.#conversation.follow(id, (event) => this.#take(event));
    }
  }

  #refused(error: Error): void {
    if (this.#isOver) return;
    if (error instanceof CallError && isTemporary(error)) {
      const pause = backoffMs(again, this.#refusals++, Math.random());
      this.#again = setTimeout(() => this.#subscribe(), Math.max(pause, error.retry_after_ms ?? 0));
    } else this.#finish({ error });
  }

  #take(event: Notification): void {
    if (!isEvent(event) || event.cursor <= (this.#cursor ?? 0)) return;
    this.#cursor = event.cursor;
    this.#handover.put(event);
    if (this.#handover.held < MOST_HELD) return;
    this.#full = true;
    this.#unsubscribe();
  }

  #unsubscribe(): void {
    const subscription = this.#subscription;
    if (typeof subscription !== 'object') return;
    this.#subscription = 'none';
    this.#conversation.unfollow(subscription.id);
  }

  #finish(end: End): void {
    if (this.#isOver) return;
    this.#handover.finish(end);
    clearTimeout(this.#again);
    this.#signal?.removeEventListener('abort', this.#aborted);
    this.#unsubscribe();
    this.#leave?.();
    this.#begun.reject(end === 'quiet' ? endedEarly(this.#conversation.url) : end.error);
    // Whoever ends it wants nothing more.
    if (end === 'quiet' || this.#signal?.aborted === true) this.#handover.drop();
  }
}

/** Too many subscriptions of one's own do not become fewer by waiting; then the server names no time. */
function isTemporary(error: CallError): boolean {
  return mayPass(error) && (error.error_code !== 'GLZ4003' || error.retry_after_ms !== undefined);
}

function answered(settled: Settled): Notification {
  return 'result' in settled && isObject(settled.result) ? settled.result : {};
}

/** What an event is has been checked by the server that recorded it. */
function isEvent(value: Notification): value is Notification & GleitzeitEvent {
  return typeof value['cursor'] === 'number' && typeof value['event'] === 'string';
}
