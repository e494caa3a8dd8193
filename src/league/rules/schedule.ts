import { hash } from 'node:crypto';

export type ScheduledMatch = {
  readonly match_id: string;
  readonly round_id: string;
  readonly players: readonly [string, string];
  /** Who is to judge it; another takes it over where this one is busy or gone. */
  readonly referee: string;
};

export type Round = { readonly round_id: string; readonly matches: readonly ScheduledMatch[] };

export type ScheduleInput = {
  readonly players: readonly string[];
  readonly referees: readonly string[];
  readonly seed: string;
};

/**
 * Everybody meets everybody once, nobody twice in a round (the circle method: one stays, the others go round). Who stands
 * where in the circle is drawn by the seed; the order in which agents registered does not matter.
 */
export function makeSchedule({ players, referees, seed }: ScheduleInput): readonly Round[] {
  const circle: (string | null)[] = shuffled(players, seed);
  if (circle.length % 2 === 1) circle.push(null);
  const judges = [...referees].sort();
  const rounds: Round[] = [];
  let judged = 0;
  for (let turn = 1; turn < circle.length; turn++) {
    const round_id = `R${turn}`;
    const pairs = pairsOf(circle, turn);
    const matches = pairs.map((pair, index) => {
      const referee = judges[judged++ % Math.max(1, judges.length)] ?? '';
      return { match_id: `${round_id}M${index + 1}`, round_id, players: pair, referee };
    });
    rounds.push({ round_id, matches });
    const last = circle.pop();
    if (last !== undefined) circle.splice(1, 0, last);
  }
  return rounds;
}

/** Opposite places meet; the one who stays begins every other time. */
function pairsOf(circle: readonly (string | null)[], turn: number): [string, string][] {
  const pairs: [string, string][] = [];
  for (let place = 0; place < circle.length / 2; place++) {
    const one = circle[place] ?? null;
    const other = circle[circle.length - 1 - place] ?? null;
    if (one === null || other === null) continue;
    pairs.push(place === 0 && turn % 2 === 0 ? [other, one] : [one, other]);
  }
  return pairs;
}

/** Ordered by a draw that anybody can make again: ids by the hash of seed and id. */
function shuffled(ids: readonly string[], seed: string): string[] {
  const drawn = [...new Set(ids)].map((id) => ({ id, lot: hash('sha256', `${seed}\n${id}`, 'hex') }));
  return drawn.sort((a, b) => compare(a.lot, b.lot) || compare(a.id, b.id)).map(({ id }) => id);
}

export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
