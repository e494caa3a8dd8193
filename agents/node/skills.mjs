// What this agent can do. Replace this file with your own work; the other two stay as they are.
//
// A skill gets the text it was sent and answers with a text. Besides, it may
//   say(text)               tell a piece of the result before the rest: seen at once by whoever streams
//   throw new Ask(text)     ask whoever sent it; what they answer comes as the next text
//   throw new Failure(text) give up, and say why
//   look at `signal`        it is aborted when the task is canceled or the agent stops
import { setTimeout as sleep } from 'node:timers/promises';

export class Ask extends Error {}
/** Its text is told to the caller. Any other error is logged, and the caller only hears that there was one. */
export class Failure extends Error {}

const stepMs = Number(process.env.STEP_MS || 200);

export const skills = {
  echo: {
    description: 'Says what it was told.',
    example: 'echo: hello',
    run: async (text) => text,
  },
  upper: {
    description: 'Says it in capital letters.',
    example: 'upper: hello',
    run: async (text) => text.toUpperCase(),
  },
  reverse: {
    description: 'Says it backwards.',
    example: 'reverse: hello',
    run: async (text) => [...text].reverse().join(''),
  },
  wordcount: {
    description: 'Says how many words it has.',
    example: 'wordcount: one two three',
    run: async (text) => String(text.split(/\s+/).filter((word) => word !== '').length),
  },
  greet: {
    description: 'Greets by name, and asks for the name where there is none.',
    example: 'greet: Ada',
    run: async (text) => {
      if (text === '') throw new Ask('What is your name?');
      return `Hello, ${text}!`;
    },
  },
  count: {
    description: 'Counts, one number at a time.',
    example: 'count: 3',
    run: async (text, { say, signal }) => {
      const last = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
      if (last < 1 || last > 100) throw new Failure('count needs a whole number from 1 to 100');
      for (let number = 1; number < last; number++) {
        say(String(number));
        await sleep(stepMs, undefined, { signal });
      }
      return String(last);
    },
  },
  fail: {
    description: 'Fails, with what it was told as the reason.',
    example: 'fail: out of paper',
    run: async (text) => {
      throw new Failure(text);
    },
  },
};

/** `upper: hello` names its skill; without a name it is the one of the variable SKILL, or echo. */
export function pick(text) {
  const named = /^([a-z]+): ?(.*)$/s.exec(text);
  if (named !== null && Object.hasOwn(skills, named[1])) return { skill: skills[named[1]], text: named[2] };
  return { skill: skills[process.env.SKILL || 'echo'], text };
}

/** The text of an input that may be anything: as it is, its `text`, its `query`, or all of it as JSON. */
export function textOf(input) {
  if (typeof input === 'string') return input;
  for (const value of [input?.text, input?.query])
    if (typeof value === 'string' && value !== '') return value;
  return JSON.stringify(input ?? {});
}
