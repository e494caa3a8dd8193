import type { JsonObject } from '../../core/json.ts';
import type { Random } from '../../core/ports/random.ts';

/** Every game is for two. The first player of an assignment has seat 0. */
export type Seat = 0 | 1;

/** `winner: null` is a draw. */
export type Ending = { readonly winner: Seat | null };

/** What a result is worth in the standings. */
export type Points = { readonly win: number; readonly draw: number; readonly loss: number };

export const usualPoints: Points = { win: 3, draw: 1, loss: 0 };

export type Turn<Move> = { readonly seat: Seat; readonly move: Move };

/** A move as the game knows it, or why what came is none. */
export type Reading<Move> = { readonly move: Move } | { readonly fault: string };

/** A game, in one file. Everything is a function of what it is handed; states are values and never changed. */
export type Rules<State, Move> = {
  readonly name: string;
  readonly points: Points;
  begin(): State;
  /** Who moves next. Both: at the same time, neither knows what the other does. Nobody: the game has ended. */
  asked(state: State): readonly Seat[];
  /** What a player is shown when it is asked: `step_context` on the wire. */
  context(state: State, seat: Seat): JsonObject;
  /** `move_payload` as it came, from whoever sent it. */
  read(state: State, turn: { readonly seat: Seat; readonly payload: JsonObject }): Reading<Move>;
  /** One turn for each seat that was asked, in the order of the seats. */
  apply(state: State, turns: readonly Turn<Move>[], random: Random): State;
  ending(state: State): Ending | null;
  /** The state as players are told of it in the end: `final_state` on the wire. */
  shown(state: State): JsonObject;
  /** For players: every legal `move_payload` in a `step_context`. */
  choices(context: JsonObject): readonly JsonObject[];
};

/** A game at one moment, whatever its states are. */
export type Play = {
  readonly asked: readonly Seat[];
  readonly ending: Ending | null;
  readonly shown: JsonObject;
  context(seat: Seat): JsonObject;
  /** Why this is no legal move; null where it is one. */
  fault(seat: Seat, payload: JsonObject): string | null;
  /** The next moment. Takes one legal move for each seat that is asked. */
  next(payloads: ReadonlyMap<Seat, JsonObject>, random: Random): Play;
};

/** A game as referees and players have it: what its states look like is its own affair. */
export type Game = {
  readonly name: string;
  readonly points: Points;
  begin(): Play;
  choices(context: JsonObject): readonly JsonObject[];
};

export function gameOf<State, Move>(rules: Rules<State, Move>): Game {
  const { name, points } = rules;
  return {
    ...{ name, points },
    begin: () => playOf(rules, rules.begin()),
    choices: (context) => rules.choices(context),
  };
}

function playOf<State, Move>(rules: Rules<State, Move>, state: State): Play {
  const asked = rules.asked(state);
  const read = (seat: Seat, payload: JsonObject) => rules.read(state, { seat, payload });
  return {
    ...{ asked, ending: rules.ending(state), shown: rules.shown(state) },
    context: (seat) => rules.context(state, seat),
    fault: (seat, payload) => {
      const found = read(seat, payload);
      return 'fault' in found ? found.fault : null;
    },
    next: (payloads, random) => {
      const turns = asked.map((seat) => {
        const found = read(seat, payloads.get(seat) ?? {});
        if ('fault' in found) throw new Error(`${rules.name}: an illegal move was played: ${found.fault}`);
        return { seat, move: found.move };
      });
      return playOf(rules, rules.apply(state, turns, random));
    },
  };
}

export const other = (seat: Seat): Seat => (seat === 0 ? 1 : 0);
