import { isObject, type Json, type JsonObject } from './json.ts';
import { SHORTEST_PIECE, secretForms } from './secret-forms.ts';
import { shows, spansIn, unquoted } from './secret-readings.ts';

/** How a sealed value stands in stored JSON: an object with this one key. Refused in what users and services send. */
export const SEALED = '$sealed';
export const MASK = '[secret]';

function isSealed(value: unknown): value is { readonly [SEALED]: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value[SEALED] === 'string';
}

/** Whether a JSON text can hold a sealed value at all; most do not, and are spared the walk. */
export function maySeal(text: string): boolean {
  return text.includes(`"${SEALED}"`);
}

/**
 * The value with `change` applied at every place a pointer names; `*` stands for each item or member. Where pointers
 * name one place twice, or a place within another, the outermost is changed, once.
 */
export function mapPointers(value: Json, pointers: readonly string[], change: (found: Json) => Json): Json {
  return mapPaths(value, pointers.map(segmentsOf), change);
}

/** Whether a place lies where one of the pointers leads, or under it. */
export function isWithin(place: string, pointers: readonly string[]): boolean {
  const path = segmentsOf(place);
  return pointers.some((pointer) =>
    segmentsOf(pointer).every((segment, i) => i < path.length && (segment === '*' || segment === path[i])),
  );
}

function segmentsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapeSegment);
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

type Path = readonly string[];

function mapPaths(value: Json, paths: readonly Path[], change: (found: Json) => Json): Json {
  if (paths.length === 0) return value;
  if (paths.some((path) => path.length === 0)) return change(value);
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => mapPaths(item, pathsInto(paths, String(index)), change));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapPaths(item, pathsInto(paths, key), change)]),
  ) as JsonObject;
}

function pathsInto(paths: readonly Path[], key: string): Path[] {
  return paths.filter(([head]) => head === '*' || head === key).map((path) => path.slice(1));
}

/** The value with every sealed part replaced, wherever it is. */
export function mapSealed(value: Json, change: (sealed: string) => Json): Json {
  if (isSealed(value)) return change(value[SEALED]);
  if (Array.isArray(value)) return value.map((item: Json) => mapSealed(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapSealed(item, change)]),
  ) as JsonObject;
}

export type SecretPlaces = {
  /** Where secrets are by their schema. */
  readonly pointers: readonly string[];
  /** Texts that give one away wherever they stand: a reference may have brought it anywhere. */
  readonly secrets: readonly string[];
};

/** The value as others may read it: `seal` makes of every secret in it what can be opened again. */
export function sealSecrets(
  value: JsonObject,
  { pointers, secrets }: SecretPlaces,
  seal: (secret: Json) => JsonObject,
): Json {
  const forms = secrets.flatMap(secretForms);
  // A name cannot be sealed by itself.
  if (namesShow(value, forms)) return seal(value);
  return sealTexts(mapPointers(value, pointers, seal), forms, seal);
}

function namesShow(value: Json, forms: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item: Json) => namesShow(item, forms));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, item]) => shows(key, forms) || namesShow(item, forms));
}

function sealTexts(value: Json, forms: readonly string[], seal: (secret: Json) => JsonObject): Json {
  if (isSealed(value)) return value;
  if (typeof value === 'string' || typeof value === 'number')
    return shows(String(value), forms) ? seal(value) : value;
  if (Array.isArray(value)) return value.map((item: Json) => sealTexts(item, forms, seal));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, sealTexts(item, forms, seal)]),
  ) as JsonObject;
}

/** The texts within a secret value that give it away wherever they stand. */
export function secretTexts(value: Json): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(secretTexts);
}

/** A text without the secrets that were open while it was written, in whatever form they stand there. */
export function redact(text: string, secrets: readonly string[]): string {
  return maskForms(text, secrets.flatMap(secretForms));
}

/** The same for forms that were found before, where there is much to go through. */
export function maskForms(text: string, forms: readonly string[], mask = MASK): string {
  const spans = spansIn(text, forms);
  if (spans.length === 0) return text;
  spans.sort((a, b) => a.from - b.from);
  let shown = '';
  let end = 0;
  for (const span of spans) {
    // Secrets may overlap: what was masked with the one before is not shown for the sake of this one.
    if (span.from >= end) shown += text.slice(end, span.from) + mask;
    end = Math.max(end, span.to);
  }
  return shown + text.slice(end);
}

/** The same for every text in a JSON value, its keys included. A number that shows a secret becomes a text. */
export function redactJson(value: Json, secrets: readonly string[]): Json {
  return maskJson(value, secrets.flatMap(secretForms));
}

/**
 * The same for a result, of which sealed parts stay as they are. A secret of a few characters is left in it: what others
 * go on to work with must not be full of holes. Returns the value itself where there is nothing to mask.
 */
export function redactResult(value: Json, secrets: readonly string[]): Json {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_PIECE);
  if (long.length === 0) return value;
  // The same secret is often open in several places.
  const forms = [...new Set(long)].flatMap(secretForms);
  // All of its texts at once: most results have none to mask, and are looked at no further.
  return shows(unquoted(JSON.stringify(value)), forms) ? maskJson(value, forms, isSealed) : value;
}

function maskJson(value: Json, forms: readonly string[], kept: (value: Json) => boolean = nothing): Json {
  if (kept(value)) return value;
  if (typeof value === 'string') return maskForms(value, forms);
  if (typeof value === 'number') {
    const shown = maskForms(String(value), forms);
    return shown === String(value) ? value : shown;
  }
  if (Array.isArray(value)) return value.map((item: Json) => maskJson(item, forms, kept));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([key, item]) => [maskForms(key, forms), maskJson(item, forms, kept)]),
  ) as JsonObject;
}

function nothing(): boolean {
  return false;
}
