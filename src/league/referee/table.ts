import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { AgentTools } from '../agents/to-manager.ts';
import type { Seat } from '../games/game.ts';
import type { AgentAnswer, OutgoingQuestion } from '../protocol/ask.ts';
import { newConversation, newEnvelope } from '../protocol/envelope.ts';
import type { RequestType } from '../protocol/messages.ts';
import { askPatiently } from '../protocol/patience.ts';
import type { Assignment } from './assignment.ts';
import type { Made, MatchEnd, Table } from './match.ts';

export type TableParts = {
  readonly tools: AgentTools;
  readonly assignment: Assignment;
  /** `referee:R1`, and its token for players that were told no other. */
  readonly sender: string;
  readonly auth_token: string;
  /** Ends with the referee. */
  readonly signal: AbortSignal;
};

/** The players of one match, at their endpoints. */
export function tableOf(parts: TableParts): Table & { over(seat: Seat, end: MatchEnd): Promise<void> } {
  const { policy } = parts.tools;
  return {
    invite: async (seat) => {
      const { match_id, game_type, players } = parts.assignment;
      const payload = { match_id, game_type, opponents: players.filter((_, other) => other !== seat) };
      const question = ask(parts, { seat, type: 'GAME_INVITATION', payload, timeout_ms: policy.join_ms });
      const answer = await settled(parts, question);
      if (typeof answer === 'string') return `did not join: ${answer}`;
      return answer.payload.status === 'rejected' ? 'did not join: it declined' : null;
    },
    move: async (seat, { number, context }): Promise<Made> => {
      const payload = { step_number: number, step_context: context };
      const question = ask(parts, { seat, type: 'REQUEST_MOVE', payload, timeout_ms: policy.move_ms });
      const answer = await settled(parts, question);
      if (typeof answer === 'string') return { trouble: `no move: ${answer}` };
      const move = answer.payload.move_payload;
      // Held against its schema when it came; it was JSON before.
      return isObject(move) ? { move } : { trouble: 'no move: move_payload is no object' };
    },
    over: async (seat, { outcome, final_state }) => {
      const payload = { outcome: outcome[seat], final_state };
      const question = ask(parts, { seat, type: 'GAME_OVER', payload, timeout_ms: policy.join_ms });
      const answer = await settled(parts, question);
      if (typeof answer === 'string')
        parts.tools.logger.debug('a player was not told how its match ended', {
          ...{ match_id: parts.assignment.match_id, player: parts.assignment.players[seat], reason: answer },
        });
    },
  };
}

type Asked<Type extends RequestType> = {
  readonly seat: Seat;
  readonly type: Type;
  readonly payload: JsonObject;
  readonly timeout_ms: number;
};

function ask<Type extends RequestType>(
  { tools, assignment, sender, auth_token, signal }: TableParts,
  { seat, type, payload, timeout_ms }: Asked<Type>,
): Promise<AgentAnswer<Type>> {
  const { lines, timers, policy, clock, random, logger } = tools;
  const conversation_id = newConversation(random);
  const about = { conversation_id, at: clock.wall(), context: assignment.context };
  const token = assignment.match_token ?? auth_token;
  const envelope = newEnvelope({ message_type: type, sender, auth_token: token, ...about });
  const id = newConversation(random);
  const question: OutgoingQuestion<Type> = { id, envelope: { ...envelope, message_type: type }, payload };
  const failed = ({ message }: GleitzeitError, attempt: number) =>
    logger.warn('a player did not answer', {
      ...{ message_type: type, match_id: assignment.match_id, player: assignment.players[seat] },
      ...{ attempt, attempts: policy.attempts, message },
    });
  const to = { endpoint_url: assignment.endpoints[seat], question };
  return askPatiently({ lines, timers, policy, failed }, to, { timeout_ms, signal });
}

type Answered<Type extends RequestType> = Extract<AgentAnswer<Type>, { readonly is: 'answered' }>;

/** The answer, or in words what there is instead. Rejects only where the referee stops: nobody has lost by that. */
async function settled<Type extends RequestType>(
  { signal }: TableParts,
  asked: Promise<AgentAnswer<Type>>,
): Promise<Answered<Type> | string> {
  try {
    const answer = await asked;
    return answer.is === 'answered' ? answer : `it refused with ${answer.error_code ?? answer.code}`;
  } catch (thrown) {
    signal.throwIfAborted();
    const { code } = GleitzeitError.from(thrown, 'GLZ2002');
    return code === 'GLZ2003' ? 'no answer in time' : 'no answer of the league';
  }
}
