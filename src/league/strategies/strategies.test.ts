import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { chanceOf } from '../chance.ts';
import type { Game, Play, Seat } from '../games/game.ts';
import { ownGames } from '../games/registry.ts';
import { ticTacToe } from '../games/tic-tac-toe.ts';
import { type EngineTask, methodStrategy, modelStrategy } from './asking.ts';
import { ruleStrategy } from './rules.ts';
import { type Question, randomStrategy, type Strategy } from './strategy.ts';

const { signal } = new AbortController();

function question(game: Game, context: JsonObject, ...names: readonly (string | number)[]): Question {
  const asked = { game_type: game.name, step_number: 1, context, choices: game.choices(context) };
  return { ...asked, random: chanceOf(...names), signal };
}

async function played(game: Game, players: readonly [Strategy, Strategy], seed: number): Promise<Play> {
  let play = game.begin();
  const random = chanceOf(seed);
  for (let step = 0; play.asked.length > 0; step++) {
    const moves = new Map<Seat, JsonObject>();
    for (const seat of play.asked)
      moves.set(seat, await players[seat].choose(question(game, play.context(seat), seed, seat, step)));
    play = play.next(moves, random);
  }
  return play;
}

describe('playing by rules', () => {
  it('never loses tic-tac-toe, in neither seat', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.constantFrom<Seat>(0, 1), async (seed, seat) => {
        const players = seat === 0 ? [ruleStrategy, randomStrategy] : [randomStrategy, ruleStrategy];
        const { ending } = await played(ticTacToe, players as [Strategy, Strategy], seed);
        expect(ending?.winner ?? seat).toBe(seat);
      }),
      { numRuns: 60 },
    );
  });

  it('draws tic-tac-toe against itself', async () => {
    expect((await played(ticTacToe, [ruleStrategy, ruleStrategy], 7)).ending).toEqual({ winner: null });
  });

  it.each(ownGames)('plays $name to its end', async (game) => {
    expect((await played(game, [ruleStrategy, randomStrategy], 3)).ending).not.toBeNull();
  });

  it('answers a game that it does not know as well as it can', async () => {
    const asked = { ...question(ticTacToe, {}, 1), game_type: 'constructor', choices: [] };
    expect(await ruleStrategy.choose(asked)).toEqual({});
  });
});

describe('playing by chance', () => {
  it('does the same for the same seed', async () => {
    const end = async (seed: number) =>
      JSON.stringify((await played(ticTacToe, [randomStrategy, randomStrategy], seed)).shown);
    expect(await end(5)).toBe(await end(5));
    expect(new Set(await Promise.all([1, 2, 3, 4, 5, 6].map(end))).size).toBeGreaterThan(1);
  });
});

describe('playing by asking', () => {
  const context = ticTacToe.begin().context(0);
  const answering = (answer: Json, seen: EngineTask[] = []) => ({
    seen,
    ask: async (task: EngineTask) => {
      seen.push(task);
      return answer;
    },
  });

  it('takes the number that a model says', async () => {
    const { ask, seen } = answering({ text: 'I take 4, the middle.' });
    expect(await modelStrategy(ask, 'm').choose(question(ticTacToe, context, 1))).toEqual({ row: 1, col: 1 });
    expect(seen).toMatchObject([{ protocol: 'llm/v1', method: 'generate', params: { model: 'm' } }]);
    expect(seen[0]?.params['prompt']).toContain('4: {"row":1,"col":1}');
  });

  it('takes the move that a method gives', async () => {
    const asked = question(ticTacToe, context, 1);
    const strategy = (answer: Json) =>
      methodStrategy(answering(answer).ask, { protocol: 'moves/v1', method: 'choose' });
    expect(await strategy({ move_payload: { row: 2, col: 2 } }).choose(asked)).toEqual({ row: 2, col: 2 });
    expect(await strategy({ col: 0, row: 1 }).choose(asked)).toEqual({ row: 1, col: 0 });
    expect(await strategy('3').choose(asked)).toEqual({ row: 1, col: 0 });
  });

  it('draws where the answer is none', async () => {
    for (const answer of ['no idea', { text: '99' }, null, [], { response: {} }]) {
      const chosen = await modelStrategy(answering(answer).ask, null).choose(question(ticTacToe, context, 1));
      expect(ticTacToe.begin().fault(0, chosen)).toBeNull();
    }
  });
});
