import { parseDuration } from '../core/duration.ts';
import { GleitzeitError } from '../core/errors.ts';

/** What was given on the command line or by the variable that stands in for it, by the long name: `key-file`. */
export type Flags = {
  text(name: string): string | undefined;
  /** Every value of an option that may be repeated. */
  list(name: string): readonly string[];
  is(name: string): boolean;
  /** A whole number of at least 1. */
  count(name: string): number | undefined;
  /** A time such as `30s`; a bare number is seconds. */
  milliseconds(name: string): number | undefined;
};

export type FlagValue = string | boolean | readonly string[];

export function readFlags(values: ReadonlyMap<string, FlagValue>): Flags {
  const text = (name: string) => {
    const value = values.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text,
    list: (name) => {
      const value = values.get(name);
      return typeof value === 'object' ? value : [];
    },
    is: (name) => values.get(name) === true,
    count: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
      throw badValue(name, value, 'write a whole number of at least 1');
    },
    milliseconds: (name) => {
      const value = text(name);
      return value === undefined ? undefined : Math.round(1000 * secondsOf(name, value));
    },
  };
}

function secondsOf(name: string, value: string): number {
  try {
    return parseDuration(/^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value);
  } catch (thrown) {
    throw badValue(name, value, GleitzeitError.from(thrown).details.hint ?? 'write a time such as 30s');
  }
}

/** A value that an option does not take. */
export function badValue(name: string, value: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `--${name} does not take "${value}"`, { field: name, hint });
}
