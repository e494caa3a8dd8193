import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { followPath } from '../../core/reference-path.ts';
import { type Operand, parseTemplate, type Segment } from '../../core/reference-syntax.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Secrets } from '../filled.ts';
import type { Remembered } from '../remembered.ts';
import { mistake } from './mistake.ts';

/** What references read from, by the word they begin with. */
export type Scope = { readonly [head: string]: Json | undefined };

/** A part of a mapping, ready to be filled in. Undefined where a reference that stands alone finds nothing. */
export type Template = {
  /** Nothing is filled in: it is the same every time. */
  readonly constant: boolean;
  fill(scope: Scope): Json | undefined;
};

export type TemplateParts = {
  /** The words references may begin with, besides `secrets`. */
  readonly heads: readonly string[];
  /** Null where no secrets may stand. What is filled in is remembered, to be kept out of errors. */
  readonly secrets: { readonly open: Secrets; readonly told: Remembered } | null;
};

/**
 * Any JSON with references in its texts. A text that is one whole reference becomes what it refers to, with its type, and
 * is left out of an object where there is nothing; in other text a string is written as it is and the rest as JSON.
 */
export function template(value: Json, at: string, parts: TemplateParts): Template {
  if (typeof value === 'string') return textTemplate(value, at, parts);
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) => template(item, child(at, index), parts));
    if (items.every(({ constant }) => constant)) return fixed(value);
    return { constant: false, fill: (scope) => items.map((item) => item.fill(scope) ?? null) };
  }
  if (!isObject(value)) return fixed(value);
  const members = Object.entries(value).map(
    ([key, item]) => [key, template(item, child(at, key), parts)] as const,
  );
  if (members.every(([, { constant }]) => constant)) return fixed(members.length === 0 ? {} : value);
  return { constant: false, fill: (scope) => objectOf(members, scope) };
}

export function objectOf(
  members: readonly (readonly [string, Pick<Template, 'fill'>])[],
  scope: Scope,
): { readonly [key: string]: Json } {
  const filled: [string, Json][] = [];
  for (const [key, inner] of members) {
    const value = inner.fill(scope);
    if (value !== undefined) filled.push([key, value]);
  }
  // Defines keys instead of assigning them, so that no key reaches a prototype.
  return Object.fromEntries(filled);
}

/** One text. `write` says how a value stands inside other text. */
export function textTemplate(
  text: string,
  at: string,
  parts: TemplateParts,
  write: (value: Json) => string = written,
): Template {
  if (!text.includes('${')) return fixed(text);
  const pieces = piecesOf(text, at).map((piece) =>
    typeof piece === 'string' ? piece : reader(piece, at, parts),
  );
  const [only] = pieces;
  if (only === undefined || (pieces.length === 1 && typeof only === 'string')) return fixed(only ?? '');
  if (pieces.length === 1 && typeof only === 'function') return { constant: false, fill: only };
  return {
    constant: false,
    fill: (scope) => {
      let whole = '';
      for (const piece of pieces) {
        const value = typeof piece === 'string' ? piece : piece(scope);
        if (value === undefined) throw nothingThere(text, at);
        whole += typeof piece === 'string' ? piece : write(value);
      }
      return whole;
    },
  };
}

/** As it stands inside other text. */
export function written(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a mapping needs and a task, or an answer, does not have. */
export function nothingThere(text: string, at: string): GleitzeitError {
  const reason = `there is nothing to fill in for ${text.slice(0, 200)}`;
  const hint = `where it may be missing, give a default: \${… ?? "default"}`;
  return new GleitzeitError('GLZ2006', `${at}: ${reason}`, { field: at, reason, hint });
}

function fixed(value: Json): Template {
  return { constant: true, fill: () => value };
}

function piecesOf(text: string, at: string) {
  try {
    return parseTemplate(text, at);
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    throw mistake(at, details.reason ?? message, details.hint);
  }
}

type Read = (scope: Scope) => Json | undefined;

/** As everywhere: `??` goes on to the next where a value is missing or null. */
function reader(operands: readonly Operand[], at: string, parts: TemplateParts): Read {
  const reads = operands.map((operand) => readOne(operand, at, parts));
  const [first] = reads;
  if (reads.length === 1 && first !== undefined) return first;
  return (scope) => {
    let last: Json | undefined;
    for (const read of reads) {
      last = read(scope);
      if (last !== undefined && last !== null) return last;
    }
    return last;
  };
}

function readOne(operand: Operand, at: string, { heads, secrets }: TemplateParts): Read {
  if (operand.kind === 'literal') return () => operand.value;
  const { head, path } = operand;
  if (head === 'secrets' && secrets !== null) return secretReader(path, at, secrets);
  if (heads.includes(head)) return inside(head, path);
  const known = secrets === null ? heads : [...heads, 'secrets'];
  throw mistake(at, `nothing is called "${head}" here`, didYouMean(head, known, 'references begin with'));
}

function inside(head: string, path: readonly Segment[]): Read {
  if (path.length === 0) return (scope) => scope[head];
  return (scope) => {
    const start = scope[head];
    return start === undefined ? undefined : followPath(start, path).value;
  };
}

function secretReader(
  path: readonly Segment[],
  at: string,
  { open, told }: NonNullable<TemplateParts['secrets']>,
): Read {
  const [name] = path;
  if (path.length !== 1 || typeof name !== 'string' || !/^[A-Za-z_][\w-]*$/.test(name))
    throw mistake(at, 'a secret is called by its name alone', 'write ${secrets.name}');
  return () => {
    const value = open(name);
    told.add(value);
    return value;
  };
}
