import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, kindOf } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { mistake } from './mistake.ts';
import { type Pointer, pointer } from './pointer.ts';
import { objectOf, type Scope, type Template, template } from './template.ts';

/** Makes a result of what a service answered; undefined where the mapping finds nothing. */
export type Shape = { fill(scope: Scope): Json | undefined };

/** The words that references in a result can begin with. */
export const resultHeads: readonly string[] = ['params', 'answer', 'item', 'http', 'submitted', 'pages'];

/**
 * How a result is made. A text that begins with `/` and has no references is a JSON pointer into the answer, or into the item
 * inside `each`; other text stands for itself, with references filled in. `{each, as, where, limit}` makes a list of a list, or of several;
 * `{at, default}` reads the first place where there is something, `{const}` is what it says; any other object or list has
 * its parts made in the same way.
 */
export function shape(value: Json, at: string): Shape {
  return part(value, at, 'answer');
}

type From = 'answer' | 'item';

function part(value: Json, at: string, from: From): Shape {
  if (typeof value === 'string') return isPointer(value) ? place(pointer(value, at), from) : text(value, at);
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) => part(item, child(at, index), from));
    return { fill: (scope) => items.map((item) => item.fill(scope) ?? null) };
  }
  if (!isObject(value)) return { fill: () => value };
  return directive(value, at, from) ?? members(value, at, from);
}

/** What has references in it is text, though it may begin like a pointer. */
function isPointer(value: string): boolean {
  return value === '' || (value.startsWith('/') && !value.includes('${'));
}

function members(value: JsonObject, at: string, from: From): Shape {
  const parts = Object.entries(value).map(([key, item]) => [key, part(item, child(at, key), from)] as const);
  return { fill: (scope) => objectOf(parts, scope) };
}

function place(read: Pointer, from: From): Shape {
  return {
    fill: (scope) => {
      const start = scope[from];
      return start === undefined ? undefined : read(start);
    },
  };
}

function text(value: string, at: string): Template {
  return template(value, at, { heads: resultHeads, secrets: null });
}

/** Objects whose keys are words of the mapping and nothing else. */
function directive(value: JsonObject, at: string, from: From): Shape | null {
  const keys = Object.keys(value).toSorted().join(' ');
  if (keys === 'const') return { fill: () => value['const'] };
  if (/^(?:as )?each(?: limit)?(?: where)?$/.test(keys)) return each(value, at, from);
  return keys === 'at' || keys === 'at default' ? firstOf(value, at, from) : null;
}

/** `where` names a place that an item must have, `limit` how many are taken. */
function each(value: JsonObject, at: string, from: From): Shape {
  const field = child(at, 'each');
  const written = value['each'];
  const places = (Array.isArray(written) ? written : [written ?? null]).map((one: Json) =>
    spread(textIn(one, field), field, from),
  );
  const make = value['as'] === undefined ? null : part(value['as'], child(at, 'as'), 'item');
  const has = value['where'] === undefined ? null : part(value['where'], child(at, 'where'), 'item');
  const limit = value['limit'] === undefined ? null : part(value['limit'], child(at, 'limit'), from);
  return {
    fill: (scope) => {
      const found = places.flatMap((place) => place(scope));
      const fit = has === null ? found : found.filter((item) => isThere(has.fill({ ...scope, item })));
      const most = limit?.fill(scope);
      const taken = typeof most === 'number' ? fit.slice(0, most) : fit;
      return make === null ? taken : taken.map((item) => make.fill({ ...scope, item }) ?? null);
    },
  };
}

function isThere(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The items of a list, or of the lists that `*` on the way leads to. What is not there has none. */
function spread(text: string, at: string, from: From): (scope: Scope) => readonly Json[] {
  const steps = text.split('/*').map((step) => pointer(step, at));
  return (scope) => {
    let found: readonly Json[] = [scope[from] ?? null];
    for (const [index, step] of steps.entries()) {
      const inner = found.map((value) => step(value) ?? []);
      // Under a star not everything has to have what is looked for; the one place that is named has to be a list.
      const wrong = index === 0 ? inner.find((value) => !isList(value)) : undefined;
      if (wrong !== undefined) throw noList(text, wrong);
      found = inner.flatMap((value) => (isList(value) ? value : []));
    }
    return found;
  };
}

function firstOf(value: JsonObject, at: string, from: From): Shape {
  const field = child(at, 'at');
  const written = value['at'];
  const list: readonly Json[] = Array.isArray(written) ? written : [written ?? null];
  const places = list.map((one) => place(pointer(textIn(one, field), field), from));
  return {
    fill: (scope) => {
      for (const one of places) {
        const found = one.fill(scope);
        if (found !== undefined && found !== null) return found;
      }
      return value['default'];
    },
  };
}

function textIn(value: Json | undefined, at: string): string {
  if (typeof value === 'string') return value;
  throw mistake(at, 'must be a JSON pointer', 'write /key/inner, or "" for all of it');
}

function noList(where: string, found: Json): GleitzeitError {
  const reason = `at ${where || 'its root'} the answer has a ${kindOf(found)} instead of a list`;
  return new GleitzeitError('GLZ2005', reason, { reason });
}

/** Array.isArray does not narrow readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
