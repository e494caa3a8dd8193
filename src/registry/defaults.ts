import { isObject, type Json, type JsonObject, own } from '../core/json.ts';
import { isSchema, type JsonSchema } from '../core/json-schema.ts';
import { refTarget } from '../core/local-ref.ts';

/** Puts defaults where keys are missing. Copies what it changes and nothing else. */
export type Filler = (value: Json) => Json;

type Build = {
  readonly root: JsonSchema;
  readonly open: Set<JsonObject>;
  readonly built: Map<JsonObject, Filler>;
};

/**
 * The filler of a schema, or undefined where no default applies. Defaults count under `properties`, `items`, `allOf`
 * and local references; inside `anyOf`, `oneOf`, `not` and `if` it is open whether a schema applies at all.
 */
export function fillerOf(root: JsonSchema): Filler | undefined {
  return build(root, { root, open: new Set(), built: new Map() });
}

function build(schema: JsonSchema, state: Build): Filler | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (state.open.has(schema)) return (value) => state.built.get(schema)?.(value) ?? value;
  state.open.add(schema);
  const fillers = [
    ofRef(schema, state),
    ...ofAll(schema, state),
    ofProperties(schema, state),
    ofItems(schema, state),
  ];
  state.open.delete(schema);
  const filler = inTurn(fillers.filter((one) => one !== undefined));
  if (filler !== undefined) state.built.set(schema, filler);
  return filler;
}

function inTurn(fillers: readonly Filler[]): Filler | undefined {
  const [first, ...others] = fillers;
  if (first === undefined || others.length === 0) return first;
  return (value) => fillers.reduce((filled, filler) => filler(filled), value);
}

function ofRef(schema: JsonObject, state: Build): Filler | undefined {
  const target = refTarget(state.root, schema);
  return target === undefined ? undefined : build(target, state);
}

function ofAll(schema: JsonObject, state: Build): readonly (Filler | undefined)[] {
  const list = own(schema, 'allOf');
  return Array.isArray(list) ? list.filter(isSchema).map((item) => build(item, state)) : [];
}

function ofItems(schema: JsonObject, state: Build): Filler | undefined {
  const items = own(schema, 'items');
  const filler = isObject(items) ? build(items, state) : undefined;
  if (filler === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    const filled = value.map(filler);
    return filled.some((item, i) => item !== value[i]) ? filled : value;
  };
}

type Entry = { readonly key: string; readonly preset: Json | undefined; readonly filler: Filler | undefined };

function ofProperties(schema: JsonObject, state: Build): Filler | undefined {
  const properties = own(schema, 'properties');
  if (!isObject(properties)) return undefined;
  const entries = Object.entries(properties).flatMap(([key, property]) => entryOf(key, property, state));
  if (entries.length === 0) return undefined;
  return (value) => (isObject(value) ? fillObject(value, entries) : value);
}

/** A default is completed by the defaults inside it once, here; inside a recursive schema it stays as it is written. */
function entryOf(key: string, property: Json, state: Build): readonly Entry[] {
  if (!isObject(property)) return [];
  const recursive = state.open.has(property) || refersToOpen(property, state);
  const filler = build(property, state);
  const written = property['default'];
  const preset = written === undefined || filler === undefined || recursive ? written : filler(written);
  return preset === undefined && filler === undefined ? [] : [{ key, preset, filler }];
}

function refersToOpen(property: JsonObject, state: Build): boolean {
  const target = refTarget(state.root, property);
  return isObject(target) && state.open.has(target);
}

function fillObject(value: JsonObject, entries: readonly Entry[]): JsonObject {
  let copy: Record<string, Json> | undefined;
  for (const { key, preset, filler } of entries) {
    const present = Object.hasOwn(value, key) ? value[key] : undefined;
    const filled = present === undefined ? preset : (filler?.(present) ?? present);
    if (filled === present || filled === undefined) continue;
    copy ??= { ...value };
    copy[key] = filled;
  }
  return copy ?? value;
}
