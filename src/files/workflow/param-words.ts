import { isObject, type Json } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { describeSchema, describeValue, oneOf } from '../describe.ts';
import type { Finding } from '../parsed.ts';
import type { Path } from '../path.ts';
import { type Kinds, showKinds } from './kinds.ts';
import type { Shape } from './shape.ts';

export function wrongValue(value: Json, path: Path, wanted: string): Finding {
  const base = { path, part: 'value', code: 'GLZ1005', expected: wanted } as const;
  return {
    ...base,
    message: `must be ${wanted}`,
    found: describeValue(value),
    hint: quotesHint(value, wanted),
  };
}

/** YAML makes numbers and truth values of what was meant as text, and text of what is quoted. */
function quotesHint(value: Json, wanted: string): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return /^(?:text|one of)/.test(wanted) ? 'put it in quotes' : null;
  }
  if (value === null) return 'leave the key out, or give it a value';
  const bare = typeof value === 'string' && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value);
  return bare && /^(?:a whole number|a number|true or false)/.test(wanted) ? 'write it without quotes' : null;
}

/** As its writer said it where that is plain, otherwise by kind. */
export function describe({ schema }: Shape, kinds: Kinds): string {
  const plain = isObject(schema) && !['$ref', 'allOf'].some((word) => Object.hasOwn(schema, word));
  const said = plain ? describeSchema(schema) : 'anything';
  return said === 'anything' ? showKinds(kinds) : said;
}

export function unknownKey(key: string, at: Path, known: readonly string[]): Finding {
  const found = JSON.stringify(key.slice(0, 80));
  const hint = didYouMean(key, known, 'known keys');
  const base = { path: [...at, key], part: 'key', code: 'GLZ1005' } as const;
  return { ...base, message: `unknown key ${found}`, found, expected: oneOf(known), hint };
}
