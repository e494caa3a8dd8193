import { nullable, words } from '../../api/shapes/basic.ts';
import { Type } from '../../type.ts';

const count = Type.Integer({ minimum: 0 });

const standing = Type.Object(
  {
    rank: Type.Integer({ minimum: 1 }),
    player_id: Type.String(),
    points: Type.Number(),
    wins: count,
    draws: count,
    losses: count,
    matches_played: count,
  },
  { title: 'LeagueStanding' },
);

const status = words(['REGISTRATION', 'SCHEDULING', 'ACTIVE', 'COMPLETED']);

const progress = {
  league_id: Type.String(),
  status,
  game_type: Type.String(),
  round_id: nullable(Type.String(), { description: 'the one that is played' }),
  rounds: count,
  rounds_completed: count,
  matches: count,
  matches_completed: count,
  standings: Type.Array(standing),
};

const match = Type.Object({
  match_id: Type.String(),
  round_id: Type.String(),
  players: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
  referee: Type.String(),
});

const schedule = Type.Array(
  Type.Object({ round_id: Type.String(), matches: Type.Array(match) }, { title: 'LeagueRound' }),
);

const result = Type.Object({
  match_id: Type.String(),
  round_id: Type.String(),
  players: Type.Array(Type.String()),
  outcome: Type.Record(Type.String(), words(['win', 'loss', 'draw'])),
  points: Type.Record(Type.String(), Type.Number()),
  by: nullable(Type.String(), { description: 'the referee; null where the league decided' }),
  reason: Type.Optional(Type.String()),
});

export const leagueOutputs = {
  league_standings: Type.Object(progress),
  league_started: Type.Object({
    status: Type.String(),
    league_status: Type.String(),
    message: Type.String(),
  }),
  league_run: Type.Object({
    ...progress,
    seed: Type.String(),
    players: Type.Array(Type.String()),
    referees: Type.Array(Type.String()),
    schedule,
    audit: Type.String({ description: 'the file' }),
    restarts: Type.Integer({ minimum: 0, description: 'of processes that ended before the league did' }),
    seconds: Type.Number({ minimum: 0 }),
  }),
  league_audited: Type.Object({
    file: Type.String(),
    intact: Type.Boolean(),
    lines: Type.Integer({ minimum: 0, description: 'that follow on from each other' }),
    hash: nullable(Type.String(), { description: 'of the last line' }),
    reason: nullable(Type.String(), { description: 'what is wrong with the line after those' }),
  }),
  league_replayed: Type.Object({
    file: Type.String(),
    intact: Type.Boolean(),
    league_id: nullable(Type.String()),
    status,
    lines: count,
    schedule,
    results: Type.Array(result),
    standings: Type.Array(standing),
    differences: Type.Array(Type.String(), {
      description: 'where what follows from the log is not what it says; empty: all of it agrees',
    }),
  }),
};
