import { GleitzeitError } from './errors.ts';
import { isObject, type Json } from './json.ts';
import { child } from './json-pointer.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD, TOO_LARGE } from './limits.ts';
import { followPath, type Gap, missing, type Walked } from './reference-path.ts';
import { type ReadStep, readTemplate, type Source, type Step } from './reference-source.ts';
import type { Segment } from './reference-syntax.ts';

export { reservedIds, type Source } from './reference-source.ts';

/** `at` is the JSON pointer of the text in which it stands first. */
export type Reference = { readonly source: Source; readonly path: readonly Segment[]; readonly at: string };

/** Where filling takes its values from. `task` answers undefined for a task that has no result. */
export type Scope = { task(id: string): Json | undefined; readonly input: Json };

/** Whether filling has anything to do: a reference, or a `$${` to write as `${`. Keys of objects are not looked at. */
export function hasReferences(value: Json): boolean {
  if (typeof value === 'string') return value.includes('${');
  if (typeof value !== 'object' || value === null) return false;
  if (isList(value)) return value.some(hasReferences);
  for (const key of Object.keys(value)) if (hasReferences(value[key] as Json)) return true;
  return false;
}

/** Every reference once, defaults included, in the order in which they are written. Throws GLZ1006 on a malformed one. */
export function findReferences(value: Json, at = ''): readonly Reference[] {
  const found: Reference[] = [];
  visit(value, at, found);
  return found.length < 2 ? found : unique(found);
}

function visit(value: Json, at: string, found: Reference[]): void {
  if (typeof value === 'string') {
    if (value.includes('${')) collect(value, at, found);
  } else if (isList(value)) {
    for (const [i, item] of value.entries()) visit(item, child(at, i), found);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) visit(value[key] as Json, child(at, key), found);
  }
}

function collect(text: string, at: string, found: Reference[]): void {
  for (const part of readTemplate(text, at)) {
    if (typeof part === 'string') continue;
    for (const step of part)
      if (step.kind === 'read') found.push({ source: step.source, path: step.path, at });
  }
}

function unique(found: readonly Reference[]): readonly Reference[] {
  const first = new Map<string, Reference>();
  for (const reference of found) {
    const key = JSON.stringify([reference.source, reference.path]);
    if (!first.has(key)) first.set(key, reference);
  }
  return [...first.values()];
}

type Fill = { readonly scope: Scope; size: number };

/**
 * The value with its references replaced. A text that is one whole reference becomes what it refers to, with its JSON
 * type; inside other text a string is written as it is and everything else as compact JSON. What was filled in is
 * never scanned again. `??` goes on to the next alternative when a value is missing or null, as in JavaScript.
 */
export function fillReferences(value: Json, scope: Scope, at = ''): Json {
  return hasReferences(value) ? fill(value, { at, depth: 0 }, { scope, size: 0 }) : value;
}

type Place = { readonly at: string; readonly depth: number };

function fill(value: Json, place: Place, state: Fill): Json {
  if (typeof value === 'string') return value.includes('${') ? fillText(value, place, state) : value;
  if (isList(value)) return value.map((item, i) => fill(item, inner(place, i), state));
  if (!isObject(value)) return value;
  // fromEntries defines keys instead of assigning them, so that no key reaches a prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fill(item, inner(place, key), state)]),
  );
}

function inner(place: Place, key: string | number): Place {
  return { at: child(place.at, key), depth: place.depth + 1 };
}

function fillText(text: string, place: Place, state: Fill): Json {
  const parts = readTemplate(text, place.at);
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object') {
    const value = resolve(first, place.at, state.scope);
    spend(value, place, state);
    return value;
  }
  let filled = '';
  for (const part of parts) {
    filled += typeof part === 'string' ? part : render(resolve(part, place.at, state.scope));
    if (state.size + filled.length > MAX_PAYLOAD) tooLarge(place.at);
  }
  state.size += filled.length;
  return filled;
}

function render(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function resolve(steps: readonly Step[], at: string, scope: Scope): Json {
  let gap: { readonly step: ReadStep; readonly end: Gap } | undefined;
  for (const step of steps) {
    const found = step.kind === 'literal' ? step : lookUp(step, scope);
    if (found.value !== undefined && found.value !== null) return found.value;
    gap = found.value === undefined && step.kind === 'read' ? { step, end: found } : undefined;
  }
  if (gap !== undefined) throw missing(gap.step, gap.end, at);
  return null;
}

function lookUp({ source, path }: ReadStep, scope: Scope): Walked {
  const start = source.kind === 'input' ? scope.input : scope.task(source.id);
  return start === undefined ? { value: undefined } : followPath(start, path);
}

/** One short reference can stand for megabytes, a thousand times: what is filled in is counted before it is used. */
function spend(value: Json, place: Place, state: Fill): void {
  if (typeof value === 'string') state.size += value.length;
  else state.size += 1;
  if (state.size > MAX_PAYLOAD) tooLarge(place.at);
  if (typeof value !== 'object' || value === null) return;
  if (place.depth >= MAX_JSON_DEPTH) tooDeep(place.at);
  const deeper = { at: place.at, depth: place.depth + 1 };
  if (isList(value)) {
    for (const item of value) spend(item, deeper, state);
    return;
  }
  for (const key of Object.keys(value)) {
    state.size += key.length;
    spend(value[key] as Json, deeper, state);
  }
}

function tooLarge(at: string): never {
  const reason = `once filled in, it ${TOO_LARGE}`;
  const hint = 'refer to the part of the result that is needed';
  throw new GleitzeitError('GLZ1007', `${at || 'params'}: ${reason}`, { field: at, reason, hint });
}

function tooDeep(at: string): never {
  const reason = `filled in, this is nested deeper than ${MAX_JSON_DEPTH} levels`;
  const hint = 'refer to the part of the result that is needed';
  throw new GleitzeitError('GLZ1007', `${at || 'params'}: ${reason}`, { field: at, reason, hint });
}

/** Array.isArray does not narrow readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
