import { isObject, type JsonObject, own } from './json.ts';
import { isSchema, type JsonSchema, mapSubschemas } from './json-schema.ts';

/**
 * A protocol may say what its params and results are in JSON Schema, or in a shorthand that lists properties:
 *
 *     { "query": { "type": "string", "required": true }, "max_results": { "type": "integer", "default": 10 } }
 *
 * It is shorthand when every value could be the schema of a property (an object, or true), and it is not plainly a
 * schema itself: `properties` that hold schemas, a boolean `additionalProperties`, or a key beginning with `$`. So a
 * param may be called `type`, `items`, `description` or `properties` without being taken for the keyword.
 *
 * Shorthand params are a signature: what is not listed is refused, unless the key `*` is there (`"*": true`, or a
 * schema for the others). Shorthand results stay open: an agent may answer more than it promised. With `*` it says so, and
 * references may count on what is not listed.
 */
export function paramsSchema(value: JsonSchema): JsonSchema {
  if (typeof value === 'boolean') return value;
  return isShorthand(value) ? fromShorthand(value, false) : liftRequired(value);
}

export function resultSchema(value: JsonSchema): JsonSchema {
  if (typeof value === 'boolean') return value;
  return isShorthand(value) ? fromShorthand(value, true) : liftRequired(value);
}

function isShorthand(value: JsonObject): boolean {
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([key, item]) => isSchema(item) && !isKeyword(key, item));
}

function isKeyword(key: string, value: JsonSchema): boolean {
  if (key.startsWith('$')) return true;
  if (key === 'additionalProperties') return typeof value === 'boolean';
  return key === 'properties' && isObject(value) && Object.values(value).every(isSchema);
}

function fromShorthand(value: JsonObject, open: boolean): JsonObject {
  const { '*': others, ...properties } = value;
  if (others === undefined && open) return liftRequired({ type: 'object', properties });
  return liftRequired({ type: 'object', properties, additionalProperties: others ?? false });
}

/** `required: true` on a property, which JSON Schema itself does not know, moves to the list of its object. */
function liftRequired(schema: JsonObject): JsonObject {
  const { required: listed, ...rest } = mapSubschemas(schema, liftRequired);
  if (listed !== undefined && typeof listed !== 'boolean' && !Array.isArray(listed))
    return { ...rest, required: listed };
  const names = [
    ...new Set([...(Array.isArray(listed) ? listed : []), ...markedRequired(own(schema, 'properties'))]),
  ];
  return names.length === 0 ? rest : { ...rest, required: names };
}

function markedRequired(properties: unknown): readonly string[] {
  if (!isObject(properties)) return [];
  return Object.keys(properties).filter((name) => {
    const property = properties[name];
    return isObject(property) && own(property, 'required') === true;
  });
}
