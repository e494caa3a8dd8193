import { type ErrorClass, errorCodes } from './error-codes.ts';
import { type Fields, given, note, openFields, readDuration, readNumber, readWord } from './fields.ts';
import { kindOf } from './json.ts';
import { child } from './json-pointer.ts';
import { defaultRetry, type RetryConfig } from './retry.ts';
import { didYouMean } from './suggest.ts';

const keys: readonly (keyof RetryConfig)[] = [
  'max_attempts',
  'backoff',
  'initial_delay',
  'multiplier',
  'max_delay',
  'jitter',
  'max_total',
  'retry_on',
];

const errorClasses: readonly ErrorClass[] = [
  ...new Set(Object.values(errorCodes).map((entry) => entry.class)),
];

const MAX_ATTEMPTS = 1_000;
const MAX_MULTIPLIER = 1_000;

/** `retry_config` as written, over the defaults. Times are seconds or text with a unit. */
export function readRetry(task: Fields): RetryConfig {
  const value = given(task, 'retry_config');
  if (value === undefined) return defaultRetry;
  const retry = openFields(value, keys, { ...task, at: child(task.at, 'retry_config') });
  if (retry === undefined) return defaultRetry;
  return {
    max_attempts: readNumber(
      retry,
      'max_attempts',
      { min: 1, max: MAX_ATTEMPTS, integer: true },
      defaultRetry.max_attempts,
    ),
    backoff: readWord(retry, 'backoff', ['fixed', 'linear', 'exponential'], defaultRetry.backoff),
    initial_delay: readDuration(retry, 'initial_delay', 0, defaultRetry.initial_delay),
    multiplier: readNumber(retry, 'multiplier', { min: 1, max: MAX_MULTIPLIER }, defaultRetry.multiplier),
    max_delay: readDuration(retry, 'max_delay', 0, defaultRetry.max_delay),
    jitter: readNumber(retry, 'jitter', { min: 0, max: 1 }, defaultRetry.jitter),
    max_total: readDuration(retry, 'max_total', 0, null),
    retry_on: readClasses(retry),
  };
}

function readClasses(retry: Fields): readonly ErrorClass[] {
  const value = given(retry, 'retry_on');
  if (value === undefined) return defaultRetry.retry_on;
  if (!Array.isArray(value)) {
    note(retry, 'retry_on', `must be a list, not ${kindOf(value)}`, `of: ${errorClasses.join(', ')}`);
    return defaultRetry.retry_on;
  }
  return [...new Set(value.filter((word) => isClass(retry, word)))];
}

function isClass(retry: Fields, word: unknown): word is ErrorClass {
  if (errorClasses.includes(word as ErrorClass)) return true;
  const hint = didYouMean(String(word), errorClasses, 'one of');
  note(retry, 'retry_on', `${JSON.stringify(word)} is no class of errors`, hint);
  return false;
}
