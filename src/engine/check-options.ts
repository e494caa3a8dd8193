import { GleitzeitError } from '../core/errors.ts';
import { isObject, kindOf } from '../core/json.ts';
import { MAX_NAME } from '../core/limits.ts';
import { didYouMean } from '../core/suggest.ts';

/** The options a caller gave, or an error that names what is wrong with them. Undefined says the same as left out. */
export function readOptions(
  given: unknown,
  known: readonly string[],
  { field = 'options', prefix = '' } = {},
): Readonly<Record<string, unknown>> {
  if (!isObject(given)) throw invalidOption(field, `must be an object, found ${describe(given)}`);
  for (const [key, value] of Object.entries(given)) {
    if (known.includes(key) || value === undefined) continue;
    throw new GleitzeitError('GLZ1012', `unknown option ${prefix}${key}`, {
      field: prefix + key,
      hint: didYouMean(key, known),
    });
  }
  return given;
}

export function invalidOption(field: string, reason: string, hint?: string): GleitzeitError {
  const details = { field, reason, ...(hint === undefined ? {} : { hint }) };
  return new GleitzeitError('GLZ1012', `option ${field} ${reason}`, details);
}

export function requireText(field: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidOption(field, `must be a text that is not empty, found ${describe(value)}`);
}

/** A protocol by name, or null for all of them. */
export function requireProtocol(protocol: unknown): void {
  if (protocol === null) return;
  if (requireText('protocol', protocol).length > MAX_NAME)
    throw invalidOption('protocol', `must have at most ${MAX_NAME} characters`);
}

type Range = { readonly least: number; readonly most?: number; readonly integer?: boolean };

export function requireNumber(
  field: string,
  value: unknown,
  { least, most = Number.POSITIVE_INFINITY, integer = false }: Range,
): number {
  const fits = typeof value === 'number' && value >= least && value <= most;
  if (fits && (!integer || Number.isSafeInteger(value))) return value;
  const range = most === Number.POSITIVE_INFINITY ? `of at least ${least}` : `from ${least} to ${most}`;
  throw invalidOption(
    field,
    `must be ${integer ? 'an integer' : 'a number'} ${range}, found ${describe(value)}`,
  );
}

/** A list whose words are all known. */
export function requireWords(field: string, value: unknown, known: readonly string[]): void {
  if (!Array.isArray(value)) throw invalidOption(field, `must be a list, found ${describe(value)}`);
  for (const word of value) requireWord(field, word, known);
}

export function requireWord(field: string, value: unknown, known: readonly string[]): void {
  if (typeof value === 'string' && known.includes(value)) return;
  const hint = typeof value === 'string' ? didYouMean(value, known) : `known here: ${known.join(', ')}`;
  throw invalidOption(field, `does not know ${describe(value)}`, hint);
}

/** What was found instead, short enough for a message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  return typeof value === 'number' ? String(value) : kindOf(value);
}
