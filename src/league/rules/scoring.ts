import { GleitzeitError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { GameOutcome } from '../protocol/payloads.ts';

export type Scoring = { readonly win: number; readonly draw: number; readonly loss: number };

/** What the league knows of its games: how they count. How they are played is the referees' business. */
export type GameRegistry = Readonly<Record<string, Scoring>>;

export const defaultScoring: Scoring = { win: 3, draw: 1, loss: 0 };

export function scoringOf(games: GameRegistry, game_type: string): Scoring {
  return (Object.hasOwn(games, game_type) ? games[game_type] : undefined) ?? defaultScoring;
}

/** `{ tic_tac_toe: { win: 2, draw: 1, loss: 0 }, even_odd: {} }`: what is left out counts as it does by default. */
export function readGames(value: unknown): GameRegistry {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw wrong('', 'it is a map of games');
  return Object.fromEntries(
    Object.entries(value).map(([game, said]) => {
      if (said !== null && !isObject(said)) throw wrong(`.${game}`, 'it is a map of win, draw and loss');
      const scoring = { ...defaultScoring, ...said };
      for (const [word, points] of Object.entries(scoring)) {
        if (!Object.hasOwn(defaultScoring, word)) throw wrong(`.${game}.${word}`, 'there is no such outcome');
        if (typeof points !== 'number' || !Number.isFinite(points))
          throw wrong(`.${game}.${word}`, 'it is a number of points');
      }
      return [game, scoring];
    }),
  );
}

function wrong(place: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `games${place}: ${reason}`, { field: `games${place}`, reason });
}

export type Outcomes = Readonly<Record<string, GameOutcome>>;

/** Whether two players can have ended so: one wins and one loses, both draw, or both lose (neither came). */
export function isPossible(players: readonly [string, string], outcomes: Outcomes): boolean {
  if (Object.keys(outcomes).length !== 2) return false;
  const said = players.map((player) => (Object.hasOwn(outcomes, player) ? outcomes[player] : undefined));
  return ['win loss', 'loss win', 'draw draw', 'loss loss'].includes(said.join(' '));
}

export function pointsFor(scoring: Scoring, outcomes: Outcomes): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(outcomes).map(([player, outcome]) => [player, scoring[outcome]]));
}
