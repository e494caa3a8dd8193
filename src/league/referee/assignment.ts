import type { JsonObject } from '../../core/json.ts';
import type { Random } from '../../core/ports/random.ts';
import type { LeagueQuestion } from '../protocol/agent.ts';
import { type MessageContext, newConversation } from '../protocol/envelope.ts';
import type { PayloadOf } from '../protocol/payloads.ts';
import type { MatchEnd } from './match.ts';

/** A match that the manager has given to this referee. */
export type Assignment = {
  readonly match_id: string;
  readonly game_type: string;
  readonly players: readonly [string, string];
  readonly endpoints: readonly [string, string];
  /** What players are shown; null where the referee's own token is. */
  readonly match_token: string | null;
  /** What every message about it says. */
  readonly context: MessageContext;
};

/** Null where the two players are not two, or one of them cannot be reached. */
export function readAssignment({ envelope, payload }: LeagueQuestion): Assignment | null {
  const said = payload as PayloadOf<'MATCH_ASSIGNMENT'>;
  const { match_id, game_type, player_endpoints, match_token = null } = said;
  const [first = '', second = ''] = said.players;
  const urlOf = (id: string) => (Object.hasOwn(player_endpoints, id) ? player_endpoints[id] : undefined);
  const [here, there] = [urlOf(first), urlOf(second)];
  if (first === second || here === undefined || there === undefined) return null;
  const { league_id, round_id } = envelope;
  const context = { league_id, round_id, match_id, game_type };
  return {
    ...{ match_id, game_type, match_token, context },
    ...{ players: [first, second], endpoints: [here, there] },
  };
}

/** A result as the manager gets it. The id stays the same however often it is reported. */
export type Report = { readonly id: string; readonly context: MessageContext; readonly payload: JsonObject };

export function reportOf({ players, game_type, context }: Assignment, end: MatchEnd, random: Random): Report {
  const byPlayer = <Value>([first, second]: readonly [Value, Value]) =>
    Object.fromEntries([
      [players[0], first],
      [players[1], second],
    ]);
  const technical = Object.fromEntries(
    players.flatMap((id, seat) => {
      const why = end.technical[seat as 0 | 1];
      return why === null ? [] : [[id, why]];
    }),
  );
  const game_metadata = {
    ...{ steps: end.steps, final_state: end.final_state },
    ...(Object.keys(technical).length === 0 ? {} : { technical_loss: technical }),
  };
  const payload = {
    ...{ game_type, players, outcome: byPlayer(end.outcome), points: byPlayer(end.points), game_metadata },
  };
  return { id: newConversation(random), context, payload };
}
