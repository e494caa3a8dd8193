import type { Static } from 'typebox';
import { Type } from '../../type.ts';
import { ID_PATTERN } from './envelope.ts';
import type { RequestType } from './messages.ts';

const id = Type.String({ pattern: ID_PATTERN });
const address = Type.String({ minLength: 1, maxLength: 2048, description: 'http or https' });
const anything = Type.Record(Type.String(), Type.Unsafe<unknown>({}));
const nothing = Type.Object({});
const outcome = Type.Enum(['win', 'loss', 'draw']);

const registered = Type.Object({
  status: Type.String(),
  auth_token: Type.String({ minLength: 1 }),
  league_id: id,
});
const acknowledged = Type.Object({ status: Type.String(), match_id: id });

export const standingSchema = Type.Object({
  rank: Type.Integer({ minimum: 1 }),
  player_id: id,
  points: Type.Number(),
  wins: Type.Integer({ minimum: 0 }),
  draws: Type.Integer({ minimum: 0 }),
  losses: Type.Integer({ minimum: 0 }),
  matches_played: Type.Integer({ minimum: 0 }),
});

/** `match_token` is told to the players of the match only: by it they know the referee that speaks to them. */
export const announcedMatchSchema = Type.Object({
  match_id: id,
  players: Type.Array(id, { minItems: 2, maxItems: 2 }),
  referee: Type.Union([id, Type.Null()]),
  game_type: Type.String({ minLength: 1 }),
  match_token: Type.Optional(Type.String()),
});

export const payloadSchemas = {
  REGISTER_REFEREE_REQUEST: Type.Object({ referee_id: id, endpoint_url: address }),
  REGISTER_PLAYER_REQUEST: Type.Object({ player_id: id, endpoint_url: address }),
  AGENT_READY_REQUEST: nothing,
  ADMIN_START_LEAGUE_REQUEST: nothing,
  ADMIN_GET_STATUS_REQUEST: nothing,
  MATCH_ASSIGNMENT: Type.Object({
    match_id: id,
    round_id: id,
    game_type: Type.String({ minLength: 1 }),
    players: Type.Array(id, { minItems: 2, maxItems: 2 }),
    player_endpoints: Type.Record(Type.String(), address),
    match_token: Type.Optional(Type.String()),
  }),
  GAME_INVITATION: Type.Object({
    match_id: id,
    game_type: Type.String({ minLength: 1 }),
    opponents: Type.Array(id),
  }),
  REQUEST_MOVE: Type.Object({ step_number: Type.Integer({ minimum: 0 }), step_context: anything }),
  GAME_OVER: Type.Object({ outcome, final_state: anything }),
  MATCH_RESULT_REPORT: Type.Object({
    game_type: Type.String({ minLength: 1 }),
    players: Type.Array(id, { minItems: 2, maxItems: 2 }),
    outcome: Type.Record(Type.String(), outcome),
    points: Type.Record(Type.String(), Type.Number()),
    game_metadata: Type.Optional(anything),
  }),
  QUERY_STANDINGS: Type.Object({ round_id: Type.Optional(id) }),
  ROUND_ANNOUNCEMENT: Type.Object({ round_id: id, matches: Type.Array(announcedMatchSchema) }),
};

/** What is held against an answer: no more than its reader needs, since agents of others answer as they like. */
export const answerSchemas = {
  REGISTER_REFEREE_REQUEST: registered,
  REGISTER_PLAYER_REQUEST: registered,
  AGENT_READY_REQUEST: Type.Object({
    status: Type.String(),
    agent_id: id,
    agent_type: Type.Enum(['referee', 'player']),
    agent_state: Type.String(),
  }),
  ADMIN_START_LEAGUE_REQUEST: Type.Object({
    status: Type.String(),
    league_status: Type.String(),
    message: Type.String(),
  }),
  ADMIN_GET_STATUS_REQUEST: Type.Object({
    league_id: id,
    status: Type.String(),
    referees: Type.Unsafe<unknown>({}),
    players: Type.Unsafe<unknown>({}),
    can_start: Type.Boolean(),
  }),
  MATCH_ASSIGNMENT: acknowledged,
  GAME_INVITATION: acknowledged,
  REQUEST_MOVE: Type.Object({ move_payload: anything }),
  GAME_OVER: nothing,
  MATCH_RESULT_REPORT: acknowledged,
  QUERY_STANDINGS: Type.Object({
    round_id: Type.Union([id, Type.Null()]),
    updated_at: Type.String(),
    standings: Type.Array(standingSchema),
  }),
  ROUND_ANNOUNCEMENT: nothing,
};

export type PayloadOf<Asked extends RequestType> = Readonly<Static<(typeof payloadSchemas)[Asked]>>;
export type AnswerOf<Asked extends RequestType> = Readonly<Static<(typeof answerSchemas)[Asked]>>;
export type Standing = Readonly<Static<typeof standingSchema>>;
export type AnnouncedMatch = Readonly<Static<typeof announcedMatchSchema>>;
export type GameOutcome = Static<typeof outcome>;
