import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { NewEntry } from '../audit/journal.ts';
import type { AgentAnswer, OutgoingQuestion } from '../protocol/ask.ts';
import { conversationFor, METHOD, type MessageContext, newEnvelope } from '../protocol/envelope.ts';
import type { RequestType } from '../protocol/messages.ts';
import { askPatiently } from '../protocol/patience.ts';
import type { TimeoutPolicy } from '../protocol/timeout-policy.ts';
import type { League } from './league.ts';
import type { ManagerParts } from './parts.ts';
import type { AgentState } from './state.ts';

/** Something to be said to an agent. `id` stays the same when it is said again, also by a later process. */
export type Saying = {
  readonly type: RequestType;
  readonly id: string;
  readonly to: AgentState;
  readonly payload: JsonObject;
  readonly context: MessageContext;
};

/**
 * What is said to agents. An agent knows the manager by its own token: nobody else has it. What goes out is told in the log
 * before it leaves, what comes back when it is there.
 */
export class Outgoing {
  readonly #league: League;
  readonly #parts: ManagerParts;

  constructor(league: League, parts: ManagerParts) {
    this.#league = league;
    this.#parts = parts;
  }

  question({ type, id, to, payload, context }: Saying): OutgoingQuestion {
    const { cipher, clock, options } = this.#parts;
    const kept = this.#league.tokens.get(`${to.kind}:${to.id}`);
    const auth_token = kept === undefined ? undefined : cipher.open(kept.sealed);
    const envelope = newEnvelope({
      ...{ message_type: type, sender: 'league_manager', at: clock.wall(), auth_token },
      // The same each time it is said: by that and its id it is known to be the same.
      conversation_id: conversationFor(id),
      context: { league_id: options.league_id, ...context },
    });
    return { id, envelope: { ...envelope, message_type: type }, payload };
  }

  entry(to: AgentState, { id, envelope, payload }: OutgoingQuestion): NewEntry {
    const params = { envelope: { ...envelope }, payload };
    const message = { jsonrpc: '2.0', id, method: METHOD, params };
    return { kind: 'message', direction: 'out', peer: `${to.kind}:${to.id}`, message };
  }

  /** Null where no answer came, however patiently it was asked. The question is in the log already. */
  async ask(
    to: AgentState,
    question: OutgoingQuestion,
    how: {
      readonly timeout_ms: number;
      readonly policy: TimeoutPolicy;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<AgentAnswer | null> {
    const { lines, timers, logger } = this.#parts;
    const { timeout_ms, policy, signal } = how;
    const peer = `${to.kind}:${to.id}`;
    try {
      const target = { endpoint_url: to.endpoint_url, question };
      const answer = await askPatiently({ lines, timers, policy }, target, { timeout_ms, signal });
      await this.#tell(peer, answer.response);
      return answer;
    } catch (thrown) {
      const { code, message } = GleitzeitError.from(thrown);
      if (signal?.aborted === true) return null;
      logger.warn('an agent does not answer', {
        agent: peer,
        message_type: question.envelope.message_type,
        code,
      });
      await this.#tell(peer, { no_answer: true, id: question.id, error_code: code, details: message });
      return null;
    }
  }

  async #tell(peer: string, message: JsonObject): Promise<void> {
    const { length } = JSON.stringify(message);
    const { result } = message;
    // An agent of others answers as much as it likes; what it is asked for is short.
    const shown =
      length > LONGEST && isObject(result) ? { ...message, result: { too_large: true, length } } : message;
    await this.#league.record([{ kind: 'message', direction: 'in', peer, message: shown }]);
  }
}

const LONGEST = 16 * 1024;
