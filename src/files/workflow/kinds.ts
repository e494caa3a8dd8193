import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';

/** JSON's kinds, numbers split so that every one is of one kind only. */
export type Kind = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';

/** Null: it may be of any kind. */
export type Kinds = ReadonlySet<Kind> | null;

const byType: Readonly<Record<string, readonly Kind[]>> = {
  null: ['null'],
  boolean: ['boolean'],
  integer: ['integer'],
  number: ['integer', 'fraction'],
  string: ['string'],
  array: ['array'],
  object: ['object'],
};

export function kindOfValue(value: Json): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value === 'string' ? 'string' : 'boolean';
}

/** What one schema allows by itself, whatever it refers to. */
export function kindsBySchema(schema: JsonObject): Kinds {
  const types = own(schema, 'type');
  const listed =
    types === undefined ? null : new Set([types].flat().flatMap((type) => byType[String(type)] ?? []));
  const values = Object.hasOwn(schema, 'const') ? [schema['const'] as Json] : own(schema, 'enum');
  const valued = Array.isArray(values) ? new Set(values.map((value: Json) => kindOfValue(value))) : null;
  return bothKinds(listed, valued);
}

export function bothKinds(a: Kinds, b: Kinds): Kinds {
  if (a === null || b === null) return a ?? b;
  return new Set([...a].filter((kind) => b.has(kind)));
}

export function withoutNull(kinds: Kinds): Kinds {
  return kinds === null ? null : new Set([...kinds].filter((kind) => kind !== 'null'));
}

export function eitherKinds(all: readonly Kinds[]): Kinds {
  const sum = new Set<Kind>();
  for (const kinds of all) {
    if (kinds === null) return null;
    for (const kind of kinds) sum.add(kind);
  }
  return sum;
}

/** Whether something of these kinds can be something of those. */
export function canBe(given: Kinds, wanted: Kinds): boolean {
  return given === null || wanted === null || [...given].some((kind) => wanted.has(kind));
}

const words: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'true or false',
  integer: 'a whole number',
  fraction: 'a number',
  string: 'text',
  array: 'a list',
  object: 'a mapping (key: value)',
};

export function showKinds(kinds: Kinds): string {
  if (kinds === null) return 'anything';
  if (kinds.size === 0) return 'nothing';
  const shown = [...kinds].filter((kind) => kind !== 'integer' || !kinds.has('fraction'));
  return shown.map((kind) => words[kind]).join(' or ');
}
