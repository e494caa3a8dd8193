import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { mistake } from '../mapping/mistake.ts';
import { type Scope, type TemplateParts, template, textTemplate, written } from '../mapping/template.ts';

/** Makes the part of an address that a mapping says. */
export type Fill = (scope: Scope) => string;

/** A path in which every reference is escaped: whatever a task says, it stays one segment, or a list of them. */
export function pathTemplate(text: string, at: string, parts: TemplateParts): Fill {
  const literal = text.replaceAll(/\$\{[^}]*\}/g, 'x');
  if (literal.includes('?')) throw mistake(at, 'holds a query', 'put it under query');
  if (literal.includes('#')) throw mistake(at, 'holds a #, which is never sent', 'write %23');
  if (hasDots(literal)) throw mistake(at, 'has . or .. in it', 'write the path that is meant');
  const path = textTemplate(text, at, parts, (value) => segment(value, at));
  if (path.constant) return () => text;
  return (scope) => {
    const made = String(path.fill(scope));
    if (hasDots(made)) throw unusable(at, 'is made of dots, and would lead elsewhere');
    return made;
  };
}

/** Segments that an address resolves, also escaped ones. */
function hasDots(path: string): boolean {
  return path.split('/').some((one) => /^(?:\.|%2e){1,2}$/i.test(one));
}

function segment(value: Json, at: string): string {
  if (Array.isArray(value) && value.length > 0) return value.map((item: Json) => segment(item, at)).join('/');
  if (typeof value === 'object') throw unusable(at, 'is no text or number');
  const text = String(value);
  if (text === '') throw unusable(at, 'is empty, and would lead elsewhere');
  return escaped(text, at);
}

/** Words of a query: lists are repeated, null and what is missing are left out. Begins with `?` unless it is empty. */
export function queryTemplate(query: Readonly<Record<string, Json>>, at: string, parts: TemplateParts): Fill {
  const words = Object.entries(query).map(([name, value]) => {
    const field = child(at, name);
    return { name: encodeURIComponent(name), field, value: template(value, field, parts) };
  });
  if (words.length === 0) return () => '';
  if (words.every(({ value }) => value.constant)) {
    const fixed = queryOf(words, {});
    return () => fixed;
  }
  return (scope) => queryOf(words, scope);
}

type Word = { readonly name: string; readonly field: string; readonly value: ReturnType<typeof template> };

function queryOf(words: readonly Word[], scope: Scope): string {
  let query = '';
  for (const { name, field, value } of words) {
    const found = value.fill(scope);
    if (found === undefined || found === null) continue;
    const all: readonly Json[] = Array.isArray(found) ? found : [found];
    for (const one of all) query += `${query === '' ? '?' : '&'}${name}=${escaped(written(one), field)}`;
  }
  return query;
}

function escaped(text: string, at: string): string {
  if (text.isWellFormed()) return encodeURIComponent(text);
  throw unusable(at, 'holds half a character, which no address can carry');
}

/** What a task says cannot be written there. */
export function unusable(at: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1005', `what is filled in at ${at} ${reason}`, { field: at, reason });
}
