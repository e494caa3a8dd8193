import type { JsonObject } from '../../core/json.ts';
import type { Random } from '../../core/ports/random.ts';
import { type Ending, type Game, other, type Play, type Points, type Seat } from '../games/game.ts';
import type { GameOutcome } from '../protocol/payloads.ts';

/** What a player did, or why there is nothing: it did not answer in time, or refused. */
export type Made = { readonly move: JsonObject } | { readonly trouble: string };

/** The two players, as the loop of a match sees them. Nothing here rejects but for a referee that stops. */
export interface Table {
  /** Null where the player has joined. */
  invite(seat: Seat): Promise<string | null>;
  move(seat: Seat, step: { readonly number: number; readonly context: JsonObject }): Promise<Made>;
}

/** How a match ended. `technical` says of whom did not play to the end why. */
export type MatchEnd = {
  readonly outcome: readonly [GameOutcome, GameOutcome];
  readonly points: readonly [number, number];
  readonly final_state: JsonObject;
  readonly steps: number;
  readonly technical: readonly [string | null, string | null];
};

const seats = [0, 1] as const;

/** Any game, from the invitations to its end. Who does not join, does not answer or moves illegally has lost. */
export async function playMatch(game: Game, table: Table, random: Random): Promise<MatchEnd> {
  const absent = await Promise.all(seats.map((seat) => table.invite(seat)));
  let play = game.begin();
  const lost = byTrouble(absent);
  if (lost !== null) return technicalEnd(game.points, play, { steps: 0, technical: lost });
  for (let number = 1; ; number++) {
    if (play.ending !== null) return regularEnd(game.points, play, number - 1);
    const made = await turnsOf(play, table, number);
    const technical = byTrouble([made.get(0) ?? null, made.get(1) ?? null].map(troubleIn));
    if (technical !== null) return technicalEnd(game.points, play, { steps: number, technical });
    play = play.next(movesIn(made), random);
  }
}

/** All who are asked move at the same time. */
async function turnsOf(play: Play, table: Table, number: number): Promise<ReadonlyMap<Seat, Made>> {
  const turns = play.asked.map(async (seat): Promise<[Seat, Made]> => {
    const made = await table.move(seat, { number, context: play.context(seat) });
    if ('trouble' in made) return [seat, made];
    const fault = play.fault(seat, made.move);
    return [seat, fault === null ? made : { trouble: `illegal move: ${fault}` }];
  });
  return new Map(await Promise.all(turns));
}

function movesIn(made: ReadonlyMap<Seat, Made>): ReadonlyMap<Seat, JsonObject> {
  return new Map([...made].flatMap(([seat, one]) => ('move' in one ? [[seat, one.move] as const] : [])));
}

function troubleIn(made: Made | null): string | null {
  return made !== null && 'trouble' in made ? made.trouble : null;
}

type Technical = MatchEnd['technical'];

function byTrouble([first = null, second = null]: readonly (string | null)[]): Technical | null {
  return first === null && second === null ? null : [first, second];
}

function regularEnd(points: Points, play: Play, steps: number): MatchEnd {
  const { winner }: Ending = play.ending ?? { winner: null };
  const of = (seat: Seat): GameOutcome => (winner === null ? 'draw' : winner === seat ? 'win' : 'loss');
  return ended(points, [of(0), of(1)], { steps, technical: [null, null], final_state: play.shown });
}

/** Where both failed, both have lost. */
function technicalEnd(
  points: Points,
  play: Play,
  { steps, technical }: Pick<MatchEnd, 'steps' | 'technical'>,
): MatchEnd {
  const of = (seat: Seat): GameOutcome =>
    technical[seat] === null && technical[other(seat)] !== null ? 'win' : 'loss';
  return ended(points, [of(0), of(1)], { steps, technical, final_state: play.shown });
}

function ended(
  points: Points,
  outcome: MatchEnd['outcome'],
  rest: Pick<MatchEnd, 'steps' | 'technical' | 'final_state'>,
): MatchEnd {
  return { outcome, points: [points[outcome[0]], points[outcome[1]]], ...rest };
}
