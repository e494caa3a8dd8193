import type { Json, JsonObject } from '../../core/json.ts';
import { placeOf, readBoard } from '../games/tic-tac-toe.ts';
import { bestFields } from './perfect-tic-tac-toe.ts';
import { draw, type Question, type Strategy } from './strategy.ts';

/** What is worth knowing about single games; null where a rule has nothing to say. */
const rules: Readonly<Record<string, (question: Question) => JsonObject | null>> = {
  tic_tac_toe: ({ context, random }) => {
    const board = readBoard(context);
    const mark = context['your_mark'];
    if (board === null || (mark !== 'X' && mark !== 'O')) return null;
    const fields = bestFields(board, mark);
    const field = fields[Math.floor(random.next() * fields.length)];
    return field === undefined ? null : placeOf(field);
  },
  // Five of the ten numbers are even: nothing is better than anything else, so nobody is surprised by it.
  even_odd: () => ({ choice: 'even' }),
  // What would have beaten the other's last hand: right against everybody who repeats himself.
  rock_paper_scissors: ({ context: { theirs } }) => {
    const last = Array.isArray(theirs) ? (theirs as readonly Json[]).at(-1) : undefined;
    const hand = { rock: 'paper', paper: 'scissors', scissors: 'rock' }[String(last)];
    return hand === undefined ? null : { hand };
  },
};

/** Plays by rules where it has some for a game, and otherwise by chance. */
export const ruleStrategy: Strategy = {
  name: 'rules',
  choose: (question) => {
    const rule = Object.hasOwn(rules, question.game_type) ? rules[question.game_type] : undefined;
    return rule?.(question) ?? draw(question);
  },
};
