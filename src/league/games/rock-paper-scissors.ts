import type { Json } from '../../core/json.ts';
import { gameOf, type Rules, type Seat, type Turn, usualPoints } from './game.ts';

const hands = ['rock', 'paper', 'scissors'] as const;
type Hand = (typeof hands)[number];

/** What was shown, round by round, by the first and the second player. */
type Rounds = readonly (readonly [Hand, Hand])[];

/** So many rounds must be won, and so many are played at most: two who always show the same would never end. */
const wanted = 3;
const longest = 20;

/** Rounds in which both show a hand at the same time, until one of them has won three. */
const rules: Rules<Rounds, Hand> = {
  name: 'rock_paper_scissors',
  points: usualPoints,
  begin: () => [],
  asked: (rounds) => (isOver(rounds) ? [] : [0, 1]),
  context: (rounds, seat) => ({
    round: rounds.length + 1,
    yours: rounds.map((round) => round[seat]),
    theirs: rounds.map((round) => round[seat === 0 ? 1 : 0]),
    wins_needed: wanted,
  }),
  read: (_, { payload: { hand } }) =>
    isHand(hand) ? { move: hand } : { fault: `hand must be one of ${hands.join(', ')}` },
  apply: (rounds, [first, second]) => [...rounds, shownBy(first, second)],
  ending: (rounds) => {
    if (!isOver(rounds)) return null;
    const ahead = won(rounds, 0) - won(rounds, 1);
    return { winner: ahead === 0 ? null : ahead > 0 ? 0 : 1 };
  },
  shown: (rounds) => ({ rounds, won: [won(rounds, 0), won(rounds, 1)] }),
  choices: () => hands.map((hand) => ({ hand })),
};

function shownBy(first?: Turn<Hand>, second?: Turn<Hand>): readonly [Hand, Hand] {
  if (first === undefined || second === undefined) throw new Error('rock_paper_scissors: both show a hand');
  return [first.move, second.move];
}

function won(rounds: Rounds, seat: Seat): number {
  return rounds.filter((round) => beats(round[seat], round[seat === 0 ? 1 : 0])).length;
}

/** Each hand beats the one before it, and rock the last. */
function beats(hand: Hand, its: Hand): boolean {
  return (hands.indexOf(hand) + 2) % 3 === hands.indexOf(its);
}

function isOver(rounds: Rounds): boolean {
  return rounds.length === longest || won(rounds, 0) === wanted || won(rounds, 1) === wanted;
}

function isHand(value: Json | undefined): value is Hand {
  return hands.some((hand) => hand === value);
}

export const rockPaperScissors = gameOf(rules);
