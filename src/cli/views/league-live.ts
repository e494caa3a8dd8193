import { stripVTControlCharacters } from 'node:util';
import type { Screen } from '../io.ts';
import { widthOf } from '../output/width.ts';
import { type LeagueView, leaderLine, progressLine, standingsTable } from './league.ts';

/** The line about it, the titles, and one that stays free for the cursor. */
const BESIDE_PLAYERS = 3;

export type LiveLeague = {
  show(progress: LeagueView): void;
  /** Takes the table away: the last one is the answer, and stands elsewhere. */
  clear(): void;
};

export type LiveLeagueParts = {
  readonly screen: Screen;
  readonly rows: () => number;
  readonly now: () => number;
};

/** Draws the table over itself, as much of it as fits the window: what has left it at the top cannot be drawn over. */
export function liveLeague({ screen, rows, now }: LiveLeagueParts): LiveLeague {
  let drawn: readonly number[] = [];
  const wiped = () => {
    const columns = screen.columns ?? Number.POSITIVE_INFINITY;
    const height = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    drawn = [];
    return height === 0 ? '' : `\x1b[${height}A\r\x1b[J`;
  };
  return {
    show: (progress) => {
      const lines = linesOf(progress, { screen, room: rows() - BESIDE_PLAYERS, now: now() });
      screen.write(`${wiped()}${lines.map((line) => `${line}\n`).join('')}`);
      drawn = lines.map((line) => widthOf(stripVTControlCharacters(line)));
    },
    clear: () => screen.write(wiped()),
  };
}

type Frame = { readonly screen: Screen; readonly room: number; readonly now: number };

function linesOf(progress: LeagueView, { screen, room, now }: Frame): readonly string[] {
  const { standings } = progress;
  const left = Math.max(1, standings.length > room ? room - 1 : room);
  const view = { columns: screen.columns, colour: screen.colour, now };
  const more = standings.length - left;
  return [
    leagueLine(progress),
    ...standingsTable(standings.slice(0, left), view).trimEnd().split('\n'),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].filter((line) => line !== '');
}

/** How far it is, and who leads. */
export function leagueLine(progress: LeagueView): string {
  return progressLine(progress) + (progress.matches_completed > 0 ? leaderLine(progress) : '');
}
