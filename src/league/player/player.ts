import { isObject, type JsonObject } from '../../core/json.ts';
import { type IdentityKeeper, lifeOf, sameToken } from '../agents/identity.ts';
import { chanceOf } from '../chance.ts';
import type { Games } from '../games/registry.ts';
import type { LeagueAgent, LeagueQuestion, LeagueReply } from '../protocol/agent.ts';
import { type Fault, fault } from '../protocol/faults.ts';
import type { PayloadOf } from '../protocol/payloads.ts';
import type { Strategy } from '../strategies/strategy.ts';
import { Invitations } from './invitations.ts';

export type PlayerParts = {
  readonly player_id: string;
  readonly keeper: IdentityKeeper;
  readonly games: Games;
  readonly strategy: Strategy;
  readonly seed: string;
  /** Told once for each match that ended. */
  readonly ended?: (match: { readonly match_id: string; readonly outcome: string }) => void;
};

type Handler = (question: LeagueQuestion, signal: AbortSignal) => Promise<LeagueReply> | LeagueReply;

/** Joins the matches that referees invite it to, and makes its moves. Knows of no other player but the name. */
export class Player implements LeagueAgent {
  readonly kind = 'player';
  readonly sender: string;
  readonly #parts: PlayerParts;
  readonly #invitations: Invitations;
  #active = false;
  readonly #results: Record<string, number> = { win: 0, draw: 0, loss: 0 };
  readonly #handlers: Readonly<Partial<Record<string, Handler>>> = {
    ROUND_ANNOUNCEMENT: (question) => this.#announced(question),
    GAME_INVITATION: (question) => this.#join(question),
    REQUEST_MOVE: (question, signal) => this.#move(question, signal),
    GAME_OVER: (question) => this.#over(question),
  };

  constructor(parts: PlayerParts) {
    this.#parts = parts;
    this.sender = `player:${parts.player_id}`;
    this.#invitations = new Invitations((match_id) => {
      const { matches } = parts.keeper.identity;
      return Object.hasOwn(matches, match_id) ? matches[match_id] : undefined;
    });
  }

  authenticate(question: LeagueQuestion): Fault | null {
    if (question.envelope.message_type !== 'ROUND_ANNOUNCEMENT')
      return this.#invitations.authenticate(question);
    return sameToken(question.envelope.auth_token, this.#parts.keeper.identity.auth_token)
      ? null
      : fault('AUTHENTICATION_FAILED', 'the token is not the one that the manager has given');
  }

  judge(question: LeagueQuestion): Fault | null {
    const { league_id } = this.#parts.keeper.identity;
    const said = question.envelope.league_id;
    if (said !== undefined && league_id !== null && said !== league_id)
      return fault('INVALID_LEAGUE_ID', 'this player is in another league');
    return question.envelope.message_type === 'ROUND_ANNOUNCEMENT' ? null : this.#invitations.judge(question);
  }

  async handle(question: LeagueQuestion, signal: AbortSignal): Promise<LeagueReply | Fault> {
    const handler = this.#handlers[question.envelope.message_type];
    return handler?.(question, signal) ?? fault('INVALID_MESSAGE_TYPE', 'a player is not asked this');
  }

  /** The manager has been told that it is ready, and knows it. */
  ready(): void {
    this.#active = true;
  }

  status(): JsonObject {
    const { player_id, strategy, keeper } = this.#parts;
    const state = lifeOf(keeper, this.#active);
    return { agent_type: 'player', player_id, state, strategy: strategy.name, results: this.#results };
  }

  async #announced({ payload }: LeagueQuestion): Promise<LeagueReply> {
    // Held against its schema by the endpoint.
    const { matches } = payload as PayloadOf<'ROUND_ANNOUNCEMENT'>;
    const { player_id, keeper } = this.#parts;
    const told = matches.flatMap(({ match_id, players, match_token }) =>
      players.includes(player_id) && match_token !== undefined ? [[match_id, match_token] as const] : [],
    );
    if (told.length > 0)
      await keeper.keep({ matches: { ...keeper.identity.matches, ...Object.fromEntries(told) } });
    return { payload: { status: 'acknowledged' } };
  }

  #join(question: LeagueQuestion): LeagueReply {
    const { match_id, game_type } = question.payload as PayloadOf<'GAME_INVITATION'>;
    this.#invitations.invited(question, game_type);
    return { payload: { status: 'accepted', match_id } };
  }

  async #move({ envelope, payload }: LeagueQuestion, signal: AbortSignal): Promise<LeagueReply> {
    const { step_number, step_context } = payload as PayloadOf<'REQUEST_MOVE'>;
    const { games, strategy, seed, player_id } = this.#parts;
    const { match_id = '' } = envelope;
    const game_type = this.#invitations.gameOf(match_id);
    const context: JsonObject = isObject(step_context) ? step_context : {};
    const choices = games.get(game_type)?.choices(context) ?? [];
    const random = chanceOf('move', seed, player_id, match_id, step_number);
    const move_payload = await strategy.choose({ game_type, step_number, context, choices, random, signal });
    return { payload: { move_payload } };
  }

  #over({ envelope, payload }: LeagueQuestion): LeagueReply {
    const { outcome } = payload as PayloadOf<'GAME_OVER'>;
    const { match_id = '' } = envelope;
    if (this.#invitations.over(match_id)) {
      this.#results[outcome] = (this.#results[outcome] ?? 0) + 1;
      this.#parts.ended?.({ match_id, outcome });
    }
    return { payload: { status: 'acknowledged', match_id } };
  }
}
