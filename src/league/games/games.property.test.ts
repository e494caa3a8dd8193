import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { chanceOf } from '../chance.ts';
import type { Game, Play, Seat } from './game.ts';
import { ownGames } from './registry.ts';

/** Plays to the end by chance; every play that was passed through, the last one ended. */
function played(game: Game, seed: number): readonly Play[] {
  const random = chanceOf('play', seed);
  const plays: Play[] = [game.begin()];
  for (let play = game.begin(); play.asked.length > 0; ) {
    play = play.next(drawn(game, play, random.next()), random);
    plays.push(play);
    if (plays.length > 1000) throw new Error(`${game.name} does not end`);
  }
  return plays;
}

function drawn(game: Game, play: Play, chance: number): ReadonlyMap<Seat, JsonObject> {
  return new Map(
    play.asked.map((seat) => {
      const choices = game.choices(play.context(seat));
      return [seat, choices[Math.floor(((chance * (seat + 1)) % 1) * choices.length)] ?? {}];
    }),
  );
}

const seeds = fc.integer({ min: 0, max: 1_000_000 });

describe.each(ownGames)('$name', (game) => {
  it('ends, and only then asks nobody', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const { asked, ending } of played(game, seed)) expect(ending === null).toBe(asked.length > 0);
      }),
    );
  });

  it('goes the same way again by the same moves and the same chance', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const told = () => played(game, seed).map(({ shown, ending }) => JSON.stringify({ shown, ending }));
        expect(told()).toEqual(told());
      }),
      { numRuns: 30 },
    );
  });

  it('offers legal moves, at least one of them, to whom it asks', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const play of played(game, seed))
          for (const seat of play.asked) {
            const choices = game.choices(JSON.parse(JSON.stringify(play.context(seat))));
            expect(choices.length).toBeGreaterThan(0);
            for (const choice of choices) expect(play.fault(seat, choice)).toBeNull();
          }
      }),
      { numRuns: 30 },
    );
  });

  it('says of everything else why it is no move, and is not moved by it', () => {
    fc.assert(
      fc.property(seeds, fc.dictionary(fc.string(), fc.jsonValue()), (seed, junk) => {
        const play = played(game, seed)[0];
        if (play === undefined) return;
        const before = JSON.stringify(play.shown);
        const payload = JSON.parse(JSON.stringify(junk)) as JsonObject;
        for (const seat of play.asked) {
          const choices = game.choices(play.context(seat)).map((choice) => JSON.stringify(choice));
          if (!choices.includes(JSON.stringify(payload)))
            expect(play.fault(seat, payload)).toEqual(expect.any(String));
        }
        expect(JSON.stringify(play.shown)).toBe(before);
      }),
    );
  });

  it('refuses to go on with an illegal move', () => {
    expect(() => game.begin().next(new Map(), chanceOf(1))).toThrow('illegal move');
  });

  it('offers nothing that breaks where the context is none', () => {
    expect(() => game.choices({})).not.toThrow();
  });
});
