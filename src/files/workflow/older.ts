import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Finding } from '../parsed.ts';
import type { Path } from '../path.ts';

/**
 * What earlier generations wrote differently, read as what it means. Each place gets a note, and everything that comes
 * out has today's words.
 */
export type Reading = {
  readonly report: (finding: Finding) => void;
  readonly note: (finding: Finding) => void;
};

/** A mapping in today's words, and where each of its keys is written. */
export type Renewed = {
  readonly value: Readonly<Record<string, Json>>;
  readonly from: Readonly<Record<string, Path>>;
};

const olderKeys: Readonly<Record<string, string>> = { parameters: 'params', retry: 'retry_config' };
/** Left empty they say nothing, as if they were not there. */
const mayBeEmpty = ['params', 'retry_config', 'dependencies', 'needs'];
/** Written out in `call.ts`, or for people only. */
const readElsewhere = ['protocol', 'method', 'description'];
const priorities: Readonly<Record<string, string>> = { 1: 'high', 2: 'normal', 3: 'low' };

/** Everything of a task but what it calls. */
export function renewTask(raw: JsonObject, at: Path, known: readonly string[], reading: Reading): Renewed {
  const value: Record<string, Json> = {};
  const from: Record<string, Path> = {};
  for (const [key, given] of Object.entries(raw)) {
    if (!known.includes(key) || readElsewhere.includes(key)) continue;
    const path = [...at, key];
    const name = renewKey(key, raw, path, reading);
    if (name === undefined || (given === null && mayBeEmpty.includes(name))) continue;
    value[name] = renewValue(name, given, path, reading);
    from[name] = path;
  }
  return { value, from };
}

/** Undefined where today's word stands beside the older one, which is no way to say anything. */
function renewKey(key: string, raw: JsonObject, path: Path, { report, note }: Reading): string | undefined {
  const today = Object.hasOwn(olderKeys, key) ? olderKeys[key] : undefined;
  if (today === undefined) return key;
  if (Object.hasOwn(raw, today)) {
    report({
      path,
      part: 'key',
      message: `stands beside ${today} and means the same`,
      hint: 'leave one of them out',
    });
    return undefined;
  }
  note({ path, part: 'key', message: `is an older word for ${today}`, hint: `write ${today}` });
  return today;
}

function renewValue(name: string, given: Json, path: Path, reading: Reading): Json {
  if (name === 'priority' && typeof given === 'number') {
    const word = priorities[given] ?? 'normal';
    const hint = `write priority: ${word}`;
    reading.note({ path, part: 'value', message: `is an older way to say ${word}`, hint });
    return word;
  }
  return name === 'retry_config' && isObject(given) ? renewRetry(given, path, reading) : given;
}

const olderRetryKeys: Readonly<Record<string, string>> = {
  base_delay: 'initial_delay',
  backoff_strategy: 'backoff',
};

function renewRetry(given: JsonObject, at: Path, { report, note }: Reading): JsonObject {
  const retry: Record<string, Json> = {};
  for (const [key, value] of Object.entries(given)) {
    const path = [...at, key];
    const today = Object.hasOwn(olderRetryKeys, key) ? (olderRetryKeys[key] ?? key) : key;
    if (today !== key && Object.hasOwn(given, today)) {
      report({
        path,
        part: 'key',
        message: `stands beside ${today} and means the same`,
        hint: 'leave one of them out',
      });
    } else if (today !== key) {
      note({ path, part: 'key', message: `is an older word for ${today}`, hint: `write ${today}` });
    }
    if (key === 'jitter' && typeof value === 'boolean') {
      const hint = value ? 'leave it out' : 'write jitter: 0';
      note({ path, part: 'value', message: 'is an older way to say how much is left to chance', hint });
      if (!value) retry['jitter'] = 0;
    } else if (value !== null || key !== 'retry_on') retry[today] = value;
  }
  return retry;
}
