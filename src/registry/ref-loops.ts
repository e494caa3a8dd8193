import { isObject, type JsonObject, own } from '../core/json.ts';
import { type JsonSchema, mapSubschemas } from '../core/json-schema.ts';
import { refTarget } from '../core/local-ref.ts';

const listsInPlace = ['allOf', 'anyOf', 'oneOf'];
const singlesInPlace = ['not', 'if', 'then', 'else'];

/**
 * Whether a schema applies itself again to the same value, by `$ref` alone or through `allOf` and the like. Checking
 * would never end; a schema that comes back one level further down is fine, since data has an end.
 */
export function hasRefLoop(root: JsonSchema): boolean {
  const done = new Set<JsonObject>();
  const onPath = new Set<JsonObject>();

  function loops(schema: unknown): boolean {
    if (!isObject(schema) || done.has(schema)) return false;
    if (onPath.has(schema)) return true;
    onPath.add(schema);
    const found = inPlace(schema, root).some(loops);
    onPath.delete(schema);
    done.add(schema);
    return found;
  }

  return everySchema(root).some(loops);
}

/** The schemas that judge the same value as the one they stand in. */
function inPlace(schema: JsonObject, root: JsonSchema): readonly unknown[] {
  const lists = listsInPlace.flatMap((key) => own(schema, key) ?? []);
  return [refTarget(root, schema), ...lists, ...singlesInPlace.map((key) => own(schema, key))];
}

function everySchema(root: JsonSchema): readonly JsonObject[] {
  if (!isObject(root)) return [];
  const found = [root];
  mapSubschemas(root, (inner) => {
    found.push(...everySchema(inner));
    return inner;
  });
  return found;
}
