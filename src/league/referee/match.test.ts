import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { chanceOf } from '../chance.ts';
import { evenOdd } from '../games/even-odd.ts';
import type { Seat } from '../games/game.ts';
import { rockPaperScissors } from '../games/rock-paper-scissors.ts';
import { ticTacToe } from '../games/tic-tac-toe.ts';
import { type Made, playMatch, type Table } from './match.ts';

type Script = {
  readonly joins?: Partial<Record<Seat, string>>;
  readonly does?: (seat: Seat, step: number) => Made | JsonObject;
};

function table({ joins = {}, does = () => ({}) }: Script): Table {
  return {
    invite: async (seat) => joins[seat] ?? null,
    move: async (seat, { number }) => {
      const made = does(seat, number);
      return 'trouble' in made || 'move' in made ? (made as Made) : { move: made };
    },
  };
}

const random = chanceOf('a match');
const fields = [0, 3, 1, 4, 2];

describe('the loop of a match', () => {
  it('asks in turn until the game has ended', async () => {
    const asked: string[] = [];
    const does = (seat: Seat, step: number) => {
      asked.push(`${seat}@${step}`);
      const field = fields[step - 1] ?? 0;
      return { row: Math.floor(field / 3), col: field % 3 };
    };
    const end = await playMatch(ticTacToe, table({ does }), random);
    expect(asked).toEqual(['0@1', '1@2', '0@3', '1@4', '0@5']);
    expect(end).toMatchObject({
      outcome: ['win', 'loss'],
      points: [3, 0],
      steps: 5,
      technical: [null, null],
    });
  });

  it('asks both at once where the game does', async () => {
    const does = (seat: Seat) => ({ hand: seat === 0 ? 'rock' : 'paper' });
    const end = await playMatch(rockPaperScissors, table({ does }), random);
    expect(end).toMatchObject({ outcome: ['loss', 'win'], points: [0, 3], steps: 3 });
  });

  it('gives points to both for a draw', async () => {
    const end = await playMatch(evenOdd, table({ does: () => ({ choice: 'odd' }) }), random);
    expect(end).toMatchObject({ outcome: ['draw', 'draw'], points: [1, 1], technical: [null, null] });
  });

  it.each([
    { joins: { 0: 'away' }, outcome: ['loss', 'win'] },
    { joins: { 1: 'away' }, outcome: ['win', 'loss'] },
    { joins: { 0: 'away', 1: 'away' }, outcome: ['loss', 'loss'] },
  ])('is lost by whoever does not join: $outcome', async ({ joins, outcome }) => {
    const end = await playMatch(ticTacToe, table({ joins }), random);
    expect(end).toMatchObject({ outcome, steps: 0, technical: [joins[0] ?? null, joins[1] ?? null] });
  });

  it('is lost by whoever does not move', async () => {
    const does = (seat: Seat) => (seat === 0 ? { row: 0, col: 0 } : { trouble: 'no answer' });
    const end = await playMatch(ticTacToe, table({ does }), random);
    expect(end).toMatchObject({ outcome: ['win', 'loss'], technical: [null, 'no answer'], steps: 2 });
  });

  it('is lost by whoever moves illegally, also where both do', async () => {
    const does = (seat: Seat) => (seat === 0 ? { row: 0, col: 0 } : { row: 0, col: 0 });
    const end = await playMatch(ticTacToe, table({ does }), random);
    expect(end.outcome).toEqual(['win', 'loss']);
    expect(end.technical[1]).toBe('illegal move: row 0, col 0 is taken');
    const both = await playMatch(evenOdd, table({ does: () => ({ choice: 'both' }) }), random);
    expect(both).toMatchObject({ outcome: ['loss', 'loss'], points: [0, 0] });
  });
});
