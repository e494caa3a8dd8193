import type { JsonObject } from '../../core/json.ts';
import type { Random } from '../../core/ports/random.ts';

/** What a player is asked, and what it may answer. */
export type Question = {
  readonly game_type: string;
  readonly step_number: number;
  readonly context: JsonObject;
  /** Every legal answer; empty where the game is not known here. */
  readonly choices: readonly JsonObject[];
  /** Seeded by player, match and step. */
  readonly random: Random;
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** How a player finds its move. */
export type Strategy = {
  readonly name: string;
  choose(question: Question): JsonObject | Promise<JsonObject>;
};

/** One of the choices; nothing at all where there are none, which a referee will call illegal. */
export function draw({ choices, random }: Pick<Question, 'choices' | 'random'>): JsonObject {
  return choices[Math.floor(random.next() * choices.length)] ?? {};
}

export const randomStrategy: Strategy = { name: 'random', choose: draw };
