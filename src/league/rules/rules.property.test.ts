import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeSchedule } from './schedule.ts';
import { defaultScoring, isPossible, type Outcomes, pointsFor } from './scoring.ts';
import { type CountedResult, standingsOf } from './standings.ts';

const ids = (most: number) =>
  fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_-]{1,6}$/), { minLength: 2, maxLength: most });
const input = fc.record({ players: ids(21), referees: ids(5), seed: fc.string({ maxLength: 5 }) });

describe('a schedule', () => {
  it('lets every pair meet once, and nobody play twice in a round', () => {
    fc.assert(
      fc.property(input, (given) => {
        const rounds = makeSchedule(given);
        const n = given.players.length;
        const matches = rounds.flatMap((round) => round.matches);
        expect(rounds).toHaveLength(n % 2 === 0 ? n - 1 : n);
        expect(matches).toHaveLength((n * (n - 1)) / 2);
        const pairs = matches.map(({ players }) => [...players].sort().join(' '));
        expect(new Set(pairs).size).toBe(pairs.length);
        expect(new Set(matches.map(({ match_id }) => match_id)).size).toBe(matches.length);
        for (const round of rounds) {
          const playing = round.matches.flatMap(({ players }) => players);
          expect(new Set(playing).size).toBe(playing.length);
          expect(round.matches.every(({ round_id }) => round_id === round.round_id)).toBe(true);
        }
      }),
    );
  });

  it('follows from players, referees and seed alone, in whatever order they came', () => {
    fc.assert(
      fc.property(input, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (given, chance) => {
        const mixed = (list: readonly string[]) =>
          list
            .map((id) => ({ id, at: chance.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ id }) => id);
        const other = { ...given, players: mixed(given.players), referees: mixed(given.referees) };
        expect(makeSchedule(other)).toEqual(makeSchedule(given));
      }),
    );
  });

  it('is another one for another seed', () => {
    const players = Array.from({ length: 8 }, (_, n) => `P${n}`);
    const one = makeSchedule({ players, referees: ['R'], seed: 'a' });
    expect(makeSchedule({ players, referees: ['R'], seed: 'b' })).not.toEqual(one);
  });

  it('shares the matches out among the referees', () => {
    const players = Array.from({ length: 8 }, (_, n) => `P${n}`);
    const matches = makeSchedule({ players, referees: ['B', 'A', 'C'], seed: '' }).flatMap(
      (one) => one.matches,
    );
    const counts = [...Map.groupBy(matches, ({ referee }) => referee).values()].map(({ length }) => length);
    expect(counts.sort()).toEqual([10, 9, 9].sort());
  });
});

const words = fc.constantFrom('win loss', 'loss win', 'draw draw', 'loss loss');
const played = input.chain(({ players, seed }) => {
  const matches = makeSchedule({ players, referees: ['R'], seed }).flatMap((round) => round.matches);
  return fc
    .tuple(fc.constant(players), fc.array(words, { minLength: 0, maxLength: matches.length }))
    .map(([names, outcomes]) => {
      const results = outcomes.flatMap((outcome, index): CountedResult[] => {
        const match = matches[index];
        return match === undefined ? [] : [counted(match.match_id, match.players, outcome)];
      });
      return { players: names, results };
    });
});

function counted(match_id: string, players: readonly [string, string], words: string): CountedResult {
  const [first = '', second = ''] = words.split(' ');
  const outcome = { [players[0]]: first, [players[1]]: second } as Outcomes;
  return { match_id, players, outcome, points: pointsFor(defaultScoring, outcome) };
}

describe('standings', () => {
  it('count every match for both of its players, and give every rank once', () => {
    fc.assert(
      fc.property(played, ({ players, results }) => {
        const table = standingsOf(players, results);
        expect(table.map(({ rank }) => rank)).toEqual(players.map((_, index) => index + 1));
        expect(table.map(({ player_id }) => player_id).sort()).toEqual([...players].sort());
        const sum = (field: 'matches_played' | 'wins' | 'draws' | 'losses' | 'points') =>
          table.reduce((total, one) => total + one[field], 0);
        expect(sum('matches_played')).toBe(2 * results.length);
        expect(sum('wins') + sum('draws') + sum('losses')).toBe(2 * results.length);
        expect(sum('points')).toBe(3 * sum('wins') + sum('draws'));
        for (const [index, one] of table.entries()) {
          const next = table[index + 1];
          if (next !== undefined) expect(ordered(one, next)).toBe(true);
        }
      }),
    );
  });

  it('do not depend on the order in which results came', () => {
    fc.assert(
      fc.property(played, ({ players, results }) => {
        expect(standingsOf([...players].reverse(), [...results].reverse())).toEqual(
          standingsOf(players, results),
        );
      }),
    );
  });

  it('are decided among those who are level by their own matches, then by id', () => {
    const results = [counted('1', ['A', 'B'], 'loss win'), counted('2', ['A', 'C'], 'win loss')];
    const more = [...results, counted('3', ['B', 'C'], 'loss win'), counted('4', ['C', 'D'], 'loss win')];
    const names = (given: CountedResult[]) =>
      standingsOf(['D', 'C', 'B', 'A'], given).map((one) => one.player_id);
    // A and B have three points each, and B beat A.
    expect(names(results)).toEqual(['B', 'A', 'C', 'D']);
    // A, B, C and D have three points and a win each; C played three of its matches among them and won one, as A and B.
    expect(names(more)).toEqual(['A', 'B', 'C', 'D']);
    expect(standingsOf(['B', 'A'], []).map((one) => one.player_id)).toEqual(['A', 'B']);
  });

  it('put more draws first where a game gives nothing for them', () => {
    const draw = { outcome: { B: 'draw', X: 'draw' }, points: { B: 0, X: 0 } } as const;
    const loss = { outcome: { A: 'loss', Y: 'loss' }, points: { A: 0, Y: 0 } } as const;
    const results: CountedResult[] = [
      { match_id: 'M1', players: ['B', 'X'], ...draw },
      { match_id: 'M2', players: ['A', 'Y'], ...loss },
    ];
    expect(standingsOf(['A', 'B', 'X', 'Y'], results).map((one) => one.player_id)).toEqual([
      'B',
      'X',
      'A',
      'Y',
    ]);
  });

  it('put more wins before more draws where points are level', () => {
    const results = [
      counted('1', ['A', 'X'], 'draw draw'),
      counted('2', ['A', 'Y'], 'draw draw'),
      counted('3', ['A', 'Z'], 'draw draw'),
      counted('4', ['B', 'X'], 'win loss'),
    ];
    expect(
      standingsOf(['A', 'B', 'X', 'Y', 'Z'], results)
        .map((one) => one.player_id)
        .slice(0, 2),
    ).toEqual(['B', 'A']);
  });
});

type Row = ReturnType<typeof standingsOf>[number];

function ordered(one: Row, next: Row): boolean {
  if (one.points !== next.points) return one.points > next.points;
  if (one.wins !== next.wins) return one.wins > next.wins;
  return one.draws >= next.draws;
}

describe('outcomes', () => {
  it.each(['win loss', 'loss win', 'draw draw', 'loss loss'])('%s can be', (text) => {
    expect(isPossible(['A', 'B'], counted('1', ['A', 'B'], text).outcome)).toBe(true);
  });
  it.each(['win win', 'win draw', 'draw loss'])('%s cannot', (text) => {
    expect(isPossible(['A', 'B'], counted('1', ['A', 'B'], text).outcome)).toBe(false);
  });
  it('are of the two players and of nobody else', () => {
    expect(isPossible(['A', 'B'], { A: 'win' })).toBe(false);
    expect(isPossible(['A', 'B'], { A: 'win', C: 'loss' })).toBe(false);
    expect(isPossible(['A', 'B'], { A: 'win', B: 'loss', C: 'loss' })).toBe(false);
  });
});
