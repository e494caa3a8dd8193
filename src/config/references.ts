import { isObject, type Json } from '../core/json.ts';
import type { Path } from '../files/path.ts';

/** A `${…}` in a text of the configuration, and what stands around it. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** `${NAME}` or `${NAME:-default}`. */
  | {
      readonly kind: 'variable';
      readonly whole: string;
      readonly name: string;
      readonly fallback: string | null;
    }
  /** `${secrets.name}`, `${params.q}`, `${params}`: filled in later. */
  | {
      readonly kind: 'later';
      readonly whole: string;
      readonly escaped: boolean;
      readonly secret: string | null;
    }
  | { readonly kind: 'broken'; readonly whole: string; readonly message: string };

const variable = /^([A-Za-z_]\w*)(?::-([^}]*))?$/;
/** A path, or one of the words that mean all of something where providers are called. */
const later = /^(?:[A-Za-z_][\w-]*\s*[.[]|(?:params|answer|item)\s*(?:$|\?\?))/;
const secret = /^secrets\.([A-Za-z_][\w-]*)$/;

/**
 * Reads a text. `$${` is a literal `${`; before something that is filled in later it stays as it is, for whoever fills
 * that in.
 */
export function readReferences(text: string): readonly Part[] {
  const parts: Part[] = [];
  const say = (plain: string) => {
    if (plain !== '') parts.push({ kind: 'text', text: plain });
  };
  let from = 0;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', from)) {
    const escaped = text[at - 1] === '$' && at > from;
    const end = text.indexOf('}', at);
    const inner = end === -1 ? null : text.slice(at + 2, end);
    say(text.slice(from, escaped ? at - 1 : at));
    if (escaped && (inner === null || !later.test(inner))) {
      say('${');
      from = at + 2;
      continue;
    }
    from = end === -1 ? text.length : end + 1;
    parts.push(readOne(text.slice(escaped ? at - 1 : at, from), inner, escaped));
  }
  say(text.slice(from));
  return parts;
}

function readOne(whole: string, inner: string | null, escaped: boolean): Part {
  if (inner === null) return { kind: 'broken', whole, message: 'a closing } is missing after ${' };
  if (later.test(inner)) {
    return { kind: 'later', whole, escaped, secret: escaped ? null : (secret.exec(inner)?.[1] ?? null) };
  }
  const [, name, fallback = null] = variable.exec(inner) ?? [];
  if (name === undefined) return { kind: 'broken', whole, message: `${whole.slice(0, 80)} cannot be read` };
  if (fallback?.includes('${'))
    return { kind: 'broken', whole, message: 'a default cannot hold another ${…}' };
  return { kind: 'variable', whole, name, fallback };
}

/** Every text inside a value replaced, the rest as it is. */
export function mapTexts(value: Json, path: Path, change: (text: string, path: Path) => string): Json {
  if (typeof value === 'string') return value.includes('${') ? change(value, path) : value;
  if (Array.isArray(value)) return value.map((item: Json, index) => mapTexts(item, [...path, index], change));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, mapTexts(item, [...path, key], change)]));
}

/** The names of the secrets that are filled in somewhere inside a value. */
export function secretsIn(value: Json): ReadonlySet<string> {
  const names = new Set<string>();
  mapTexts(value, [], (text) => {
    for (const part of readReferences(text))
      if (part.kind === 'later' && part.secret !== null) names.add(part.secret);
    return text;
  });
  return names;
}
