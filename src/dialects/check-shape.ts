import { isObject, type Json, own } from '../core/json.ts';
import { child } from '../core/json-pointer.ts';

/** What is wrong with a value, by a JSON pointer. `key` names a key that should not be there, or should. */
export type Misfit =
  | {
      readonly is: 'missing' | 'unknown';
      readonly field: string;
      readonly key: string;
      readonly known: readonly string[];
    }
  | { readonly is: 'wrong'; readonly field: string; readonly reason: string };

type Schema = { readonly [key: string]: unknown };

/** Everything that does not fit, for the part of JSON Schema that configurations of providers are written in. */
export function misfits(schema: unknown, value: unknown, field = ''): Misfit[] {
  if (!isObject(schema)) return [];
  const branches = own(schema, 'anyOf');
  if (Array.isArray(branches)) return inUnion(branches.map(asObject), value, field);
  const reason = wrongType(schema, value) ?? wrongValue(schema, value);
  if (reason !== null) return [{ is: 'wrong', field, reason }];
  if (isObject(value)) return inObject(schema, value, field);
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => misfits(own(schema, 'items'), item, child(field, String(index))));
}

/** What does not fit the one that is meant: a fixed word decides which, and then the keys. */
function inUnion(branches: readonly Schema[], value: unknown, field: string): Misfit[] {
  if (!isObject(value)) return misfits(branches[0], value, field);
  const candidates = branches.filter((branch) => wrongWords(branch, value).length === 0);
  const meant =
    candidates.find((branch) =>
      Object.keys(value).every((key) => Object.hasOwn(propertiesOf(branch), key)),
    ) ?? candidates[0];
  if (meant !== undefined) return misfits(meant, value, field);
  const keys = new Set(branches.flatMap((branch) => wrongWords(branch, value)));
  return [...keys].map((key) => {
    const words = new Set(branches.map((branch) => own(asObject(own(propertiesOf(branch), key)), 'const')));
    return { is: 'wrong', field: child(field, key), reason: `must be one of ${[...words].join(', ')}` };
  });
}

/** The keys whose value is not the one word that a branch has for them. */
function wrongWords(branch: Schema, value: { readonly [key: string]: Json }): string[] {
  return Object.entries(propertiesOf(branch)).flatMap(([key, inner]) => {
    const word = own(asObject(inner), 'const');
    return word === undefined || !Object.hasOwn(value, key) || value[key] === word ? [] : [key];
  });
}

function propertiesOf(schema: Schema): Schema {
  return asObject(own(schema, 'properties'));
}

function inObject(schema: Schema, value: { readonly [key: string]: Json }, field: string): Misfit[] {
  const properties = propertiesOf(schema);
  const patterns = Object.entries(asObject(own(schema, 'patternProperties')));
  const known = Object.keys(properties);
  const required = (own(schema, 'required') ?? []) as readonly string[];
  const missing = required.filter((key) => !Object.hasOwn(value, key));
  const found: Misfit[] = missing.map((key) => ({ is: 'missing', field: child(field, key), key, known }));
  for (const [key, inner] of Object.entries(value)) {
    const at = child(field, key);
    const fitting =
      own(properties, key) ?? patterns.find(([pattern]) => new RegExp(pattern, 'u').test(key))?.[1];
    if (fitting !== undefined) found.push(...misfits(fitting, inner, at));
    else if (own(schema, 'additionalProperties') === false)
      found.push({ is: 'unknown', field: at, key, known });
  }
  return found;
}

function wrongType(schema: Schema, value: unknown): string | null {
  const type = own(schema, 'type');
  if (type === undefined) return null;
  const types = (Array.isArray(type) ? type : [type]).map(String);
  return types.some((one) => isOfType(one, value)) ? null : `must be ${types.join(' or ')}`;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'number' ? Number.isFinite(value) : typeof value === type;
}

function wrongValue(schema: Schema, value: unknown): string | null {
  const word = own(schema, 'const');
  if (word !== undefined && value !== word) return `must be ${String(word)}`;
  const words = own(schema, 'enum');
  if (Array.isArray(words) && !words.includes(value)) return `must be one of ${words.join(', ')}`;
  if (typeof value === 'string') return wrongText(schema, value);
  if (typeof value === 'number') return wrongNumber(schema, value);
  const least = own(schema, 'minItems');
  if (Array.isArray(value) && typeof least === 'number' && value.length < least)
    return `must have at least ${least} ${least === 1 ? 'item' : 'items'}`;
  return null;
}

function wrongText(schema: Schema, value: string): string | null {
  const pattern = own(schema, 'pattern');
  const least = own(schema, 'minLength');
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value))
    return `must be ${String(own(schema, 'x-expected') ?? `text that matches ${pattern}`)}`;
  return typeof least === 'number' && value.length < least ? 'must not be empty' : null;
}

function wrongNumber(schema: Schema, value: number): string | null {
  const [least, most] = [own(schema, 'minimum'), own(schema, 'maximum')];
  if (typeof least === 'number' && value < least) return `must be at least ${least}`;
  return typeof most === 'number' && value > most ? `must be at most ${most}` : null;
}

function asObject(value: unknown): Schema {
  return isObject(value) ? value : {};
}
