import type { JsonObject } from '../../core/json.ts';
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
  const told = listeners.map((agent) => tell(league, parts, { ...to, agent }));
  await Promise.race([Promise.all(told), pause(parts.timers, PATIENCE_MS, signal)]);
}

async function tell(
  league: League,
  parts: ManagerParts,
  { outgoing, round, agent, signal }: Announcing & { readonly agent: AgentState },
): Promise<void> {
  const { round_id } = round;
  const { options } = parts;
  const payload: JsonObject = { round_id, matches: matchesFor(parts, round, agent) };
  const id = `${options.league_id}.${round_id}.${agent.kind}.${agent.id}`;
  const context = { round_id, game_type: options.game_type };
  const question = outgoing.question({ type: 'ROUND_ANNOUNCEMENT', id, to: agent, payload, context });
  // Once: it is news, and the next round brings more.
  const policy = { ...options.timeouts, attempts: 1 };
  try {
    await league.record([outgoing.entry(agent, question)]);
    await outgoing.ask(agent, question, { timeout_ms: PATIENCE_MS, policy, signal });
  } catch (thrown) {
    parts.logger.debug('a round could not be announced', { agent: agent.id, error: String(thrown) });
  }
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
