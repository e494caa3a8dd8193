import { parseDuration } from '../core/duration.ts';
import { GleitzeitError } from '../core/errors.ts';
import { nearest } from '../core/suggest.ts';

/** What stands where an answer should. `server_error` is HTTP 500, or -32603 where there is no HTTP. */
export const wrongAnswers = ['not_json', 'other_id', 'server_error', 'truncated', 'empty'] as const;
export type WrongAnswer = (typeof wrongAnswers)[number];

/** Rates are shares of the answers, from 0 to 1. */
export type FaultSpec = {
  readonly latency: { readonly ms: number; readonly rate: number };
  /** Up to so much more. */
  readonly jitter: { readonly ms: number; readonly rate: number };
  readonly slow_bytes: { readonly per_second: number; readonly rate: number };
  readonly cut: number;
  readonly half_open: number;
  readonly reset: number;
  readonly wrong_answers: { readonly rate: number; readonly kinds: readonly WrongAnswer[] };
  /** Null: whoever uses it draws one. */
  readonly seed: number | null;
};

export const noFaults: FaultSpec = {
  latency: { ms: 0, rate: 0 },
  jitter: { ms: 0, rate: 0 },
  slow_bytes: { per_second: 1, rate: 0 },
  cut: 0,
  half_open: 0,
  reset: 0,
  wrong_answers: { rate: 0, kinds: wrongAnswers },
  seed: null,
};

type Word = keyof FaultSpec;

const readers: { readonly [W in Word]: (value: string) => FaultSpec[W] } = {
  latency: (value) => timed(value),
  jitter: (value) => timed(value),
  cut: rateOf,
  half_open: rateOf,
  reset: rateOf,
  slow_bytes: (value) => {
    const [amount, rate] = withRate(value);
    if (!/^[1-9]\d{0,8}$/.test(amount)) throw new Unreadable('write bytes a second, such as 64 or 64@10%');
    return { per_second: Number(amount), rate };
  },
  wrong_answers: (value) => {
    const [rate = '', kinds] = value.split(/:(.*)/s);
    return { rate: rateOf(rate), kinds: kinds === undefined ? wrongAnswers : kindsOf(kinds) };
  },
  seed: (value) => {
    if (!/^\d{1,9}$/.test(value)) throw new Unreadable('write a whole number of at most nine digits');
    return Number(value);
  },
};

export const faultWords = Object.keys(readers) as readonly Word[];

/** Longer than any task of a person who tries faults would wait. */
const LONGEST_MS = 3_600_000;

/** Reads `latency=200ms,cut=5%,reset=1%`. Throws GLZ1012 with the word that is wrong and those that are known. */
export function readFaults(text: string): FaultSpec {
  let spec = noFaults;
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [word = '', value = ''] = part.trim().split(/=(.*)/s);
    if (!isWord(word)) throw unknownWord(word);
    if (seen.has(word)) throw refused(`"${word}" is said twice`, 'say each word once');
    seen.add(word);
    spec = { ...spec, [word]: readValue(word, value) };
  }
  if (sumOfRates(spec) > 1 + 1e-9)
    throw refused(
      'cut, half_open, reset and wrong_answers make more than 100% together',
      'an answer meets at most one of them: lower their rates',
    );
  return spec;
}

function sumOfRates({ cut, half_open, reset, wrong_answers }: FaultSpec): number {
  return cut + half_open + reset + wrong_answers.rate;
}

function isWord(word: string): word is Word {
  return Object.hasOwn(readers, word);
}

function readValue(word: Word, value: string): FaultSpec[Word] {
  try {
    return readers[word](value);
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    throw refused(`"${word}" does not take "${value}"`, `${thrown.message}; known words: ${listed}`);
  }
}

/** What a value should have been. */
class Unreadable extends Error {}

const listed = faultWords.join(', ');

function unknownWord(word: string): GleitzeitError {
  const close = nearest(word, faultWords);
  const meant = close === undefined ? '' : `did you mean "${close}"? `;
  return refused(
    word === '' ? 'a fault is missing' : `there is no fault "${word}"`,
    `${meant}known words: ${listed}`,
  );
}

function refused(reason: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `--faults: ${reason}`, { field: 'faults', reason, hint });
}

function timed(value: string): { ms: number; rate: number } {
  const [time, rate] = withRate(value);
  const ms = Math.round(secondsOf(time) * 1000);
  if (ms > LONGEST_MS) throw new Unreadable('write an hour at most');
  return { ms, rate };
}

function secondsOf(time: string): number {
  try {
    return parseDuration(time);
  } catch {
    throw new Unreadable('write a time such as 200ms or 200ms@50%');
  }
}

/** `200ms@50%`: a value, and how often; always where nothing is said. */
function withRate(value: string): [value: string, rate: number] {
  const [amount = '', rate] = value.split(/@(.*)/s);
  return [amount, rate === undefined ? 1 : rateOf(rate)];
}

function rateOf(value: string): number {
  const percent = /^\d{1,3}(?:\.\d{1,6})?%$/.test(value) ? Number(value.slice(0, -1)) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent / 100;
  throw new Unreadable('write a rate from 0% to 100%, such as 5%');
}

function kindsOf(value: string): readonly WrongAnswer[] {
  return value.split('+').map((word) => {
    const found = wrongAnswers.find((kind) => kind === word);
    if (found === undefined) throw new Unreadable(`there are ${wrongAnswers.join(', ')}, joined by +`);
    return found;
  });
}
