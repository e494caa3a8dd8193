import { type Column, table, type View } from '../output/table.ts';

type Standing = {
  readonly rank: number;
  readonly player_id: string;
  readonly points: number;
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  readonly matches_played: number;
};

/** What is shown of how far a league is. */
export type LeagueView = {
  readonly status: string;
  readonly game_type: string;
  readonly round_id: string | null;
  readonly matches: number;
  readonly matches_completed: number;
  readonly standings: readonly Standing[];
  readonly referees: number;
  readonly players: number;
};

const columns: readonly Column<Standing>[] = [
  { title: 'rank', value: ({ rank }) => String(rank), align: 'right' },
  { title: 'player', value: ({ player_id }) => player_id, kept: true },
  { title: 'points', value: ({ points }) => String(points), align: 'right', kept: true },
  { title: 'won', value: ({ wins }) => String(wins), align: 'right' },
  { title: 'drawn', value: ({ draws }) => String(draws), align: 'right' },
  { title: 'lost', value: ({ losses }) => String(losses), align: 'right' },
  { title: 'played', value: ({ matches_played }) => String(matches_played), align: 'right' },
];

export function standingsTable(standings: readonly Standing[], view: View): string {
  return table(standings, columns, view);
}

/** `tic_tac_toe: round R3, 12 of 28 matches`. */
export function progressLine(progress: LeagueView): string {
  const { game_type, status, round_id, matches, matches_completed } = progress;
  const { players, referees } = progress;
  if (status === 'REGISTRATION')
    return `${game_type}: ${many(referees, 'referee')} and ${many(players, 'player')}`;
  const where = round_id === null ? status.toLowerCase() : `round ${round_id}`;
  return `${game_type}: ${where}, ${matches_completed} of ${matches} matches`;
}

/** Who leads, in one line. */
export function leaderLine({ standings }: LeagueView): string {
  const [first] = standings;
  return first === undefined ? '' : `, ${first.player_id} leads with ${first.points} points`;
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
