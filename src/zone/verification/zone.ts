import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Random } from '../../core/ports/random.ts';
import { redact } from '../../core/secrets.ts';
import { type Backoff, backoffMs } from '../../rpc/websocket/backoff.ts';
import type { Carrier } from '../carrier.ts';
import { EXECUTE_TASK, GET_ASYNC_TASK_RESULT, type ZoneMethod } from '../contract/methods.ts';
import { writeRequest } from '../contract/request.ts';
import { type Authorise, permissionOf } from './authorise.ts';
import { type Exchanged, exchangeWith, type ZoneCall } from './exchange.ts';
import { alarm, pause } from './pause.ts';
import type { RateLimits } from './rate-limits.ts';
import { shortened } from './reply-text.ts';
import type { Asked } from './request.ts';
import { newRequestId } from './request-id.ts';
import type { SentenceName, Sentences } from './sentences.ts';

export type VerificationOptions = {
  /** What the other zone is told to post with, where it does. */
  readonly bot_token: string;
  /** How long a question may take from the moment it was taken. */
  readonly deadline_ms: number;
  /** How long one request waits at the other zone before it answers `accepted` or `pending`. */
  readonly budget_ms: number;
  /** What a request may measure. */
  readonly request_bytes: number;
  /** What a reply may measure, in UTF-16 units; of a longer one the beginning is said. Any length unless given. */
  readonly longest_reply?: number;
  /** Between polls, and between requests that did not come through. */
  readonly backoff: Backoff;
  readonly sentences: Sentences;
};

export type VerificationParts = {
  readonly carrier: Carrier;
  readonly authorise: readonly Authorise[];
  /** How much is asked; no limit where whoever hands questions on has counted them. */
  readonly limits?: RateLimits | undefined;
  readonly options: VerificationOptions;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
};

/** What outlives this process. */
export type Memory = {
  readonly signal: AbortSignal;
  /** What an earlier life kept of the same question. */
  readonly kept?: Json | undefined;
  /** Durable before it resolves. False: somebody else goes on with the question, and this life ends. */
  readonly keep?: ((kept: Json) => Promise<boolean>) | undefined;
};

/** What is said to whoever asked; always something that may be said. */
export type Reply = { readonly is: 'answered' | 'refused' | 'failed'; readonly text: string };

/** A response may take as much longer than the wait it was asked for. */
const SLACK_MS = 15_000;
/** What was accepted before a long absence may be done: it is asked for once more, however late it is. */
const LAST_LOOK_MS = 5000;

/** Another life has the question: nothing more is to be said of it here. */
export class GoesOnElsewhere extends Error {
  constructor() {
    super('somebody else goes on with the question');
  }
}

type Waiting = {
  readonly asked: Asked;
  readonly signal: AbortSignal;
  /** What is said if the time is up now. */
  late: SentenceName;
};

/** The side that checks, authorises and limits, then asks, and waits for as long as it takes. */
export class VerificationZone {
  readonly #parts: VerificationParts;

  constructor(parts: VerificationParts) {
    this.#parts = parts;
  }

  /** Rejects only where the signal of `memory` aborts or `keep` says no: then the question goes on in another life. */
  async ask(asked: Asked, memory: Memory): Promise<Reply> {
    const { options, clock, timers } = this.#parts;
    // A clock that was set back does not give it more.
    const left = Math.min(asked.received_at - clock.wall(), 0) + options.deadline_ms;
    const least = taskIn(memory.kept) === null ? 0 : LAST_LOOK_MS;
    const deadline = alarm(timers, Math.max(least, left));
    const signal = AbortSignal.any([memory.signal, deadline.signal]);
    const waiting: Waiting = { asked, signal, late: 'too_late' };
    try {
      return await this.#follow(waiting, memory);
    } catch (thrown) {
      memory.signal.throwIfAborted();
      if (thrown instanceof GoesOnElsewhere) throw thrown;
      return this.#unanswered(waiting, deadline.signal.aborted ? null : thrown);
    } finally {
      deadline.off();
    }
  }

  /** Its time was up, or something broke that must not. */
  #unanswered({ asked: { id, request }, late }: Waiting, thrown: unknown): Reply {
    const { logger, options } = this.#parts;
    const { correlation_id } = request;
    if (thrown === null) {
      logger.warn('a question was not answered in time', { id, correlation_id });
      return this.#say('failed', late);
    }
    const error = redact(GleitzeitError.from(thrown).message, [options.bot_token]);
    logger.error('a question could not be asked', { id, correlation_id, error });
    return this.#say('failed', 'failed');
  }

  async #follow(waiting: Waiting, memory: Memory): Promise<Reply> {
    waiting.signal.throwIfAborted();
    const known = taskIn(memory.kept);
    if (known !== null) return this.#poll(waiting, known);
    const refusal = await this.#refusal(waiting);
    if (refusal !== null) return this.#say('refused', refusal);
    const { asked } = waiting;
    const call = { id: asked.id, method: EXECUTE_TASK, params: this.#params(asked) } as const;
    const ended = await this.#untilTaken(call, waiting);
    if (ended.is === 'failed') return this.#say('failed', ended.sentence);
    const { result } = ended;
    if (result.status === 'success') return this.#answer(result.response_text, asked);
    await this.#keep(result.task_id, waiting, memory);
    return this.#poll(waiting, result.task_id);
  }

  /** Where it cannot be kept, the next life asks with the same id again, and is told of the same task. */
  async #keep(task_id: string, { asked, signal }: Waiting, { keep }: Memory): Promise<void> {
    try {
      if ((await keep?.({ task_id })) === false) throw new GoesOnElsewhere();
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof GoesOnElsewhere) throw thrown;
      const { id, request } = asked;
      const { message: error } = GleitzeitError.from(thrown);
      const { correlation_id } = request;
      this.#parts.logger.warn('an accepted task could not be kept', { id, correlation_id, task_id, error });
    }
  }

  /** Until it is done. Each poll is a request of its own. */
  async #poll(waiting: Waiting, task_id: string): Promise<Reply> {
    const { options, random, timers } = this.#parts;
    const { correlation_id } = waiting.asked.request;
    for (let polls = 0; ; polls++) {
      const params = { task_id, correlation_id, budget_ms: options.budget_ms };
      const call = { id: newRequestId(random), method: GET_ASYNC_TASK_RESULT, params } as const;
      const ended = await this.#untilTaken(call, waiting);
      if (ended.is === 'failed') return this.#say('failed', ended.sentence);
      if (ended.result.status === 'success') return this.#answer(ended.result.response_text, waiting.asked);
      await pause(timers, backoffMs(options.backoff, polls, random.next()), waiting.signal);
    }
  }

  /** The same request again and again, until there is an answer that another try would not change. */
  async #untilTaken<Method extends ZoneMethod>(
    call: ZoneCall<Method>,
    waiting: Waiting,
  ): Promise<Exclude<Exchanged<Method>, { is: 'again' }>> {
    const { options, timers, random } = this.#parts;
    const { signal } = waiting;
    for (let tries = 0; ; tries++) {
      const once = alarm(timers, options.budget_ms + SLACK_MS);
      const parts = { ...this.#parts, secrets: [options.bot_token] };
      const ended = await exchangeWith(parts, call, AbortSignal.any([signal, once.signal]));
      once.off();
      if (ended.is === 'result') waiting.late = 'too_late';
      if (ended.is !== 'again') return ended;
      // Where the time was up meanwhile, what is said of it is still the last that was heard.
      if (!signal.aborted || ended.heard) waiting.late = ended.sentence;
      signal.throwIfAborted();
      const own = backoffMs(options.backoff, tries, random.next());
      await pause(timers, Math.max(own, ended.after_ms ?? 0), signal);
    }
  }

  async #refusal({ asked, signal }: Waiting): Promise<SentenceName | null> {
    const { authorise, options, logger } = this.#parts;
    const { id, request } = asked;
    const { correlation_id, user_id, channel } = request;
    const permission = await permissionOf(authorise, request, { signal });
    if (!permission.allowed) {
      const { reason } = permission;
      logger.warn('a question is not allowed', { id, correlation_id, user_id, channel, reason });
      return 'not_allowed';
    }
    const body = writeRequest({ id, method: EXECUTE_TASK, params: this.#params(asked) });
    const bytes = Buffer.byteLength(body);
    if (bytes <= options.request_bytes) return this.#limited(asked);
    logger.warn('a question is too large', { id, correlation_id, bytes, most: options.request_bytes });
    return 'too_large';
  }

  /** Counts only what would be sent. */
  #limited({ id, request }: Asked): SentenceName | null {
    const { limits, clock, logger } = this.#parts;
    const verdict = limits?.take(request, clock.monotonic()) ?? 'allowed';
    if (verdict === 'allowed') return null;
    const { correlation_id, user_id, channel } = request;
    logger.warn('a question is over a limit', { id, correlation_id, user_id, channel, reason: verdict });
    return verdict;
  }

  #params({ request }: Asked) {
    const { bot_token, budget_ms } = this.#parts.options;
    const { attachments, ...rest } = request;
    const along = attachments === undefined ? {} : { attachments: [...attachments] };
    return { ...rest, ...along, bot_token, budget_ms };
  }

  #say(is: Reply['is'], name: SentenceName): Reply {
    return { is, text: this.#parts.options.sentences[name] };
  }

  /** Whatever came back, it does not carry the token into a channel or a store, and is as much as both take. */
  #answer(text: string, { id, request }: Asked): Reply {
    const { bot_token, longest_reply = Number.POSITIVE_INFINITY } = this.#parts.options;
    if (text.trim() === '') {
      this.#parts.logger.warn('an answer is empty', { id, correlation_id: request.correlation_id });
      return this.#say('answered', 'empty');
    }
    return { is: 'answered', text: shortened(redact(text.toWellFormed(), [bot_token]), longest_reply) };
  }
}

function taskIn(kept: Json | undefined): string | null {
  const task_id = isObject(kept) ? kept['task_id'] : undefined;
  return typeof task_id === 'string' ? task_id : null;
}
