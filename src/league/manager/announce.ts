import type { JsonObject } from '../../core/json.ts';
import type { OutgoingQuestion } from '../protocol/ask.ts';
import { pause } from '../protocol/patience.ts';
import type { Round } from '../rules/schedule.ts';
import { playing } from './answers/admin.ts';
import type { League } from './league.ts';
import type { Outgoing } from './outgoing.ts';
import type { ManagerParts } from './parts.ts';
import type { AgentState } from './state.ts';
import { matchToken } from './tokens.ts';

/** Nobody waits longer for somebody who does not listen: the round begins. */
const PATIENCE_MS = 2000;

type Telling = Announcing & { readonly agent: AgentState; readonly whole: string };
type Announcing = { readonly outgoing: Outgoing; readonly round: Round; readonly signal: AbortSignal };

/** Tells referees and players of the round what is going to be played. Who does not understand it plays all the same. */
export async function announce(league: League, parts: ManagerParts, to: Announcing): Promise<void> {
  const { round, signal } = to;
  const players = new Set(round.matches.flatMap((match) => match.players));
  const { state } = league;
  const listeners = [
    ...playing(state, 'referee').filter(({ lost }) => !lost),
    ...playing(state, 'player').filter(({ id }) => players.has(id)),
  ];
  const [first] = listeners;
  if (first === undefined) return;
  const whole = announcementId(parts, round, first);
  const told = listeners.map((agent) => tell(league, parts, { ...to, agent, whole }));
  await Promise.race([Promise.all(told), pause(parts.timers, PATIENCE_MS, signal)]);
}

async function tell(
  league: League,
  parts: ManagerParts,
  { outgoing, round, agent, whole, signal }: Telling,
): Promise<void> {
  const { round_id } = round;
  const { options } = parts;
  const payload: JsonObject = { round_id, matches: matchesFor(parts, round, agent) };
  const id = announcementId(parts, round, agent);
  const context = { round_id, game_type: options.game_type };
  const question = outgoing.question({ type: 'ROUND_ANNOUNCEMENT', id, to: agent, payload, context });
  // Once: it is news, and the next round brings more.
  const policy = { ...options.timeouts, attempts: 1 };
  try {
    await league.record([outgoing.entry(agent, id === whole ? question : shortened(question, whole))]);
    await outgoing.ask(agent, question, { timeout_ms: PATIENCE_MS, policy, signal });
  } catch (thrown) {
    parts.logger.debug('a round could not be announced', { agent: agent.id, error: String(thrown) });
  }
}

/** Everybody hears of the whole round; the log has it once, and with the others the id of the message that it stands in. */
function shortened(question: OutgoingQuestion, whole: string): OutgoingQuestion {
  return { ...question, payload: { ...question.payload, matches: { same_as: whole } } };
}

function announcementId({ options }: ManagerParts, { round_id }: Round, { kind, id }: AgentState): string {
  return `${options.league_id}.${round_id}.${kind}.${id}`;
}

/** Players learn by which token the referees of their own matches are known. */
function matchesFor({ cipher, options }: ManagerParts, round: Round, agent: AgentState): JsonObject[] {
  return round.matches.map(({ match_id, players, referee }) => ({
    ...{ match_id, players, referee, game_type: options.game_type },
    ...(agent.kind === 'player' && players.includes(agent.id)
      ? { match_token: matchToken(cipher, options.league_id, match_id) }
      : {}),
  }));
}
