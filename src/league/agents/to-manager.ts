import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Random } from '../../core/ports/random.ts';
import type { AgentAnswer, AgentLines } from '../protocol/ask.ts';
import { type MessageContext, newConversation, newEnvelope } from '../protocol/envelope.ts';
import type { RequestType } from '../protocol/messages.ts';
import { pause } from '../protocol/patience.ts';
import { delayAfter, type TimeoutPolicy } from '../protocol/timeout-policy.ts';

/** What an agent works with. */
export type AgentTools = {
  readonly lines: AgentLines;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  readonly policy: TimeoutPolicy;
};

export type ManagerQuestion<Type extends RequestType> = {
  readonly type: Type;
  readonly payload: JsonObject;
  readonly timeout_ms: number;
  readonly context?: MessageContext;
  readonly auth_token?: string;
  /** A UUID v4; made anew where it is left out. */
  readonly id?: string;
  /** Refusals that another try may change. */
  readonly again?: (error_code: string | null) => boolean;
};

export type ManagerLine = {
  readonly tools: AgentTools;
  readonly url: string;
  readonly sender: string;
  readonly signal: AbortSignal;
};

/**
 * Asks the manager until it answers: it may start later than its agents, and be killed and started again at any time. Ends
 * with the signal only, and rejects then.
 */
export async function askManager<Type extends RequestType>(
  line: ManagerLine,
  question: ManagerQuestion<Type>,
): Promise<AgentAnswer<Type>> {
  const { tools, url, signal } = line;
  const { timeout_ms, again } = question;
  const asked = questionOf(line, question);
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await tools.lines.ask(url, asked(), { timeout_ms, signal });
      if (answer.is === 'answered' || again?.(answer.error_code) !== true) return answer;
    } catch (thrown) {
      signal.throwIfAborted();
      if (attempt === 1) {
        const { message } = GleitzeitError.from(thrown, 'GLZ2002');
        tools.logger.warn('the league manager does not answer', { message_type: question.type, message });
      }
    }
    await pause(tools.timers, delayAfter(tools.policy, Math.min(attempt, 30)), signal);
    signal.throwIfAborted();
  }
}

/** The same each time but for when it is said. */
function questionOf<Type extends RequestType>(
  { tools, sender }: ManagerLine,
  { type, payload, context, auth_token, id }: ManagerQuestion<Type>,
) {
  // One question is one conversation: said again, also by a later process, nothing but the time is different.
  const known = id ?? newConversation(tools.random);
  const conversation_id = known;
  return () => {
    const said = { message_type: type, sender, conversation_id, at: tools.clock.wall(), auth_token, context };
    const envelope = { ...newEnvelope(said), message_type: type };
    return { id: known, envelope, payload };
  };
}
