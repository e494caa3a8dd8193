import type { Json } from '../core/json.ts';
import { backoffMs } from '../rpc/websocket/backoff.ts';
import type { Conversation } from './conversation.ts';
import { Crowd, isSettled } from './crowd.ts';
import { pause, settleUnder } from './limited.ts';
import { isStopping } from './problems.ts';

/** What can be waited for. */
export type Waited = {
  readonly method: 'task.result' | 'workflow.results';
  readonly id: string;
  readonly params: Readonly<Record<string, Json>>;
};

/** The longest the server waits with its answer; then it is asked again. */
export const WAIT_MS = 60_000;
/** A server lets a thousand calls of a connection wait, but each is a message every minute. */
const MOST_DIRECT = 16;
/** A server that does not wait as long as it was asked to is about to stop. */
const early = { first_ms: 200, longest_ms: 5000 };

/**
 * Waits that the server ends: it holds each question back until there is something to say. Where many wait at once they
 * share a subscription instead, and each asks when it has heard that its own has settled.
 */
export class Waits {
  readonly #conversation: Conversation;
  readonly #crowd: Crowd;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#crowd = new Crowd(conversation);
  }

  /** The answer once it has settled. */
  async settled(waited: Waited, signal: AbortSignal): Promise<Json> {
    for (let earlyAnswers = 0; ; earlyAnswers++) {
      const began = Date.now();
      const answer = await this.#next(waited, signal);
      if (isSettled(answer)) {
        const whole = waited.method === 'task.result' ? answer : await this.#ask(waited, {}, signal);
        if (isSettled(whole)) return whole;
      }
      if (Date.now() - began >= WAIT_MS / 2) earlyAnswers = 0;
      else await pause(backoffMs(early, earlyAnswers, Math.random()), signal);
    }
  }

  /** How it is after a while, or sooner when it has settled. Null: somebody should ask again. */
  async #next(waited: Waited, signal: AbortSignal): Promise<Json> {
    try {
      if (this.#conversation.unanswered < MOST_DIRECT)
        return await this.#ask(waited, { wait: WAIT_MS, ...withoutResults(waited) }, signal);
      return await this.#crowd.settled(waited.id, signal, () =>
        this.#ask(waited, withoutResults(waited), signal),
      );
    } catch (error) {
      if (isStopping(error)) return null;
      throw error;
    }
  }

  #ask({ method, params }: Waited, more: Record<string, Json>, signal: AbortSignal): Promise<Json> {
    return settleUnder<Json>(signal, (resolve, reject) =>
      this.#conversation.ask({
        method,
        params: { ...params, ...more },
        after_cut: 'again',
        settle: (settled) => ('error' in settled ? reject(settled.error) : resolve(settled.result)),
      }),
    );
  }
}

/** Results of a run are many: they are fetched once, when all are there. */
function withoutResults({ method }: Waited): Record<string, Json> {
  return method === 'task.result' ? {} : { tasks: [] };
}
