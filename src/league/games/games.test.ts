import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { chanceOf } from '../chance.ts';
import { evenOdd } from './even-odd.ts';
import type { Play, Seat } from './game.ts';
import { readGame } from './read-game.ts';
import { gamesOf } from './registry.ts';
import { rockPaperScissors } from './rock-paper-scissors.ts';
import { ticTacToe } from './tic-tac-toe.ts';

const random = chanceOf('test');

/** What both do, or what the one does who is asked. */
function following(play: Play, ...moves: readonly (readonly JsonObject[])[]): Play {
  return moves.reduce(
    (before, payloads) =>
      before.next(new Map(before.asked.map((seat, i) => [seat, payloads[i] ?? {}])), random),
    play,
  );
}

const at = (row: number, col: number) => [{ row, col }];

describe('tic_tac_toe', () => {
  it('is told as on the wire', () => {
    const play = following(ticTacToe.begin(), at(1, 1));
    expect(play.asked).toEqual([1]);
    expect(play.context(1)).toEqual({
      board: [
        ['', '', ''],
        ['', 'X', ''],
        ['', '', ''],
      ],
      your_mark: 'O',
      move_number: 2,
    });
  });

  it('is won by three in a line', () => {
    const play = following(ticTacToe.begin(), at(0, 0), at(1, 0), at(0, 1), at(1, 1), at(0, 2));
    expect(play.ending).toEqual({ winner: 0 });
    const second = following(ticTacToe.begin(), at(0, 0), at(1, 0), at(0, 1), at(1, 1), at(2, 2), at(1, 2));
    expect(second.ending).toEqual({ winner: 1 });
  });

  it('is drawn on a full board', () => {
    const fields = [0, 1, 2, 4, 3, 5, 7, 6, 8].map((field) => at(Math.floor(field / 3), field % 3));
    expect(following(ticTacToe.begin(), ...fields).ending).toEqual({ winner: null });
  });

  it('knows what is no move', () => {
    const play = following(ticTacToe.begin(), at(0, 0));
    expect(play.fault(1, { row: 0, col: 0 })).toBe('row 0, col 0 is taken');
    for (const payload of [
      {},
      { row: 3, col: 0 },
      { row: -1, col: 0 },
      { row: '1', col: 1 },
      { row: 0.5, col: 1 },
    ])
      expect(play.fault(1, payload)).toBe('row and col must be whole numbers from 0 to 2');
  });
});

describe('even_odd', () => {
  it('is won by who alone was right', () => {
    const drawn = (number: number) => ({ ...random, next: () => (number - 1) / 10 });
    const end = (first: string, second: string, number: number) => {
      const moves = new Map<Seat, JsonObject>([
        [0, { choice: first }],
        [1, { choice: second }],
      ]);
      return evenOdd.begin().next(moves, drawn(number)).ending?.winner;
    };
    expect([end('even', 'odd', 4), end('even', 'odd', 7), end('odd', 'odd', 7)]).toEqual([0, 1, null]);
  });
});

describe('rock_paper_scissors', () => {
  const both = (first: string, second: string) => [{ hand: first }, { hand: second }];

  it('is over when one has won three rounds', () => {
    const rounds = [both('rock', 'rock'), both('rock', 'scissors'), both('paper', 'rock')];
    const play = following(rockPaperScissors.begin(), ...rounds);
    expect(play.ending).toBeNull();
    expect(play.context(1)).toMatchObject({ round: 4, theirs: ['rock', 'rock', 'paper'] });
    expect(following(play, both('scissors', 'paper')).ending).toEqual({ winner: 0 });
  });

  it('does not go on for ever', () => {
    const same = Array.from({ length: 20 }, () => both('paper', 'paper'));
    expect(following(rockPaperScissors.begin(), ...same).ending).toEqual({ winner: null });
  });
});

describe('a game that somebody brings', () => {
  const coin = {
    name: 'coin',
    begin: () => null,
    asked: (state: unknown) => (state === null ? [0] : []),
    context: () => ({}),
    read: () => ({ move: 1 }),
    apply: () => 1,
    ending: (state: unknown) => (state === null ? null : { winner: 0 }),
    shown: () => ({}),
    choices: () => [{}],
  };

  it('is one like ours', () => {
    const game = gamesOf([readGame(coin)]).get('coin');
    expect(game?.points).toEqual({ win: 3, draw: 1, loss: 0 });
    expect(game?.begin().next(new Map(), random).ending).toEqual({ winner: 0 });
  });

  it('is refused with all that it lacks', () => {
    expect(() => readGame({ ...coin, name: 'Coin!', apply: 1, points: { win: 1 } })).toThrow(
      'this is no game: name must be lower case letters, digits and _; apply must be a function; points must be {win, draw, loss} as whole numbers',
    );
    expect(() => readGame(undefined)).toThrow('this is no game');
  });
});
