import type { Standing } from '../protocol/payloads.ts';
import { compare } from './schedule.ts';
import type { Outcomes } from './scoring.ts';

/** A match that counts. */
export type CountedResult = {
  readonly match_id: string;
  readonly players: readonly [string, string];
  readonly outcome: Outcomes;
  readonly points: Readonly<Record<string, number>>;
};

type Tally = Omit<Standing, 'rank'>;

const nothing = { points: 0, wins: 0, draws: 0, losses: 0, matches_played: 0 };

/**
 * The table: points, then wins, then draws, then the points of those who are still level in the matches among themselves,
 * then the id. Every rank is given once.
 */
export function standingsOf(
  players: readonly string[],
  results: readonly CountedResult[],
): readonly Standing[] {
  const tallies = new Map<string, Tally>(players.map((player_id) => [player_id, { player_id, ...nothing }]));
  for (const result of results)
    for (const player of result.players) {
      const tally = tallies.get(player);
      if (tally !== undefined) tallies.set(player, counted(tally, result));
    }
  const groups = Map.groupBy(tallies.values(), ({ points, wins, draws }) => `${points} ${wins} ${draws}`);
  const ordered = [...groups.values()].sort(([a], [b]) => byCount(a, b));
  return ordered
    .flatMap((level) => amongThemselves(level, results))
    .map((tally, index) => ({ rank: index + 1, ...tally }));
}

function counted(tally: Tally, { outcome, points }: CountedResult): Tally {
  const { player_id } = tally;
  const how = outcome[player_id];
  return {
    player_id,
    points: tally.points + (points[player_id] ?? 0),
    wins: tally.wins + (how === 'win' ? 1 : 0),
    draws: tally.draws + (how === 'draw' ? 1 : 0),
    losses: tally.losses + (how === 'loss' ? 1 : 0),
    matches_played: tally.matches_played + 1,
  };
}

function byCount(a: Tally | undefined, b: Tally | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return b.points - a.points || b.wins - a.wins || b.draws - a.draws;
}

function amongThemselves(level: readonly Tally[], results: readonly CountedResult[]): readonly Tally[] {
  if (level.length < 2) return level;
  const names = new Set(level.map(({ player_id }) => player_id));
  const direct = new Map<string, number>();
  for (const { players, points } of results) {
    if (!players.every((player) => names.has(player))) continue;
    for (const player of players) direct.set(player, (direct.get(player) ?? 0) + (points[player] ?? 0));
  }
  const won = ({ player_id }: Tally) => direct.get(player_id) ?? 0;
  return [...level].sort((a, b) => won(b) - won(a) || compare(a.player_id, b.player_id));
}
