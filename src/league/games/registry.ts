import { evenOdd } from './even-odd.ts';
import type { Game } from './game.ts';
import { rockPaperScissors } from './rock-paper-scissors.ts';
import { ticTacToe } from './tic-tac-toe.ts';

/** Every game that comes along. A game is a file, and its line here. */
export const ownGames: readonly Game[] = [evenOdd, ticTacToe, rockPaperScissors];

export type Games = ReadonlyMap<string, Game>;

/** By their names; one that somebody brings takes the place of ours. */
export function gamesOf(brought: readonly Game[] = []): Games {
  return new Map([...ownGames, ...brought].map((game) => [game.name, game]));
}
