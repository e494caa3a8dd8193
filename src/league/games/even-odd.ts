import { gameOf, type Rules, type Seat, usualPoints } from './game.ts';

type Choice = 'even' | 'odd';
type Drawn = { readonly choices: readonly [Choice, Choice]; readonly number: number };

const highest = 10;

/** Both call even or odd, then a number from 1 to 10 is drawn. Who alone was right wins. */
const rules: Rules<Drawn | null, Choice> = {
  name: 'even_odd',
  points: usualPoints,
  begin: () => null,
  asked: (drawn) => (drawn === null ? [0, 1] : []),
  context: () => ({ choices: ['even', 'odd'], highest }),
  read: (_, { payload: { choice } }) =>
    choice === 'even' || choice === 'odd' ? { move: choice } : { fault: 'choice must be "even" or "odd"' },
  apply: (_, [first, second], random) => {
    if (first === undefined || second === undefined) throw new Error('even_odd: both players choose');
    return { choices: [first.move, second.move], number: 1 + Math.floor(random.next() * highest) };
  },
  ending: (drawn) => (drawn === null ? null : { winner: winnerOf(drawn) }),
  shown: (drawn) =>
    drawn === null ? {} : { number: drawn.number, parity: parity(drawn), choices: drawn.choices },
  choices: () => [{ choice: 'even' }, { choice: 'odd' }],
};

function parity({ number }: Drawn): Choice {
  return number % 2 === 0 ? 'even' : 'odd';
}

function winnerOf(drawn: Drawn): Seat | null {
  const [first, second] = drawn.choices;
  if (first === second) return null;
  return first === parity(drawn) ? 0 : 1;
}

export const evenOdd = gameOf(rules);
