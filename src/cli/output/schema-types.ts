import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { followPath } from '../../core/reference-path.ts';
import { code } from './code-span.ts';

export const ANYTHING = 'anything';
/** A chain of references longer than this goes round. */
const STEPS = 8;
const DEPTH = 3;

/** What the parts of a schema are, in words; references are looked up within it. */
export type Types = {
  resolved(schema: JsonObject): JsonObject;
  of(schema: Json): string;
};

export function typesWithin(root: JsonObject): Types {
  const resolved = (schema: JsonObject): JsonObject => {
    let found = schema;
    for (let step = 0; step < STEPS; step++) {
      const target = own(found, '$ref');
      if (typeof target !== 'string') return found;
      const next = target.startsWith('#') ? followPath(root, pathOf(target)).value : undefined;
      if (!isObject(next)) return {};
      found = next;
    }
    return {};
  };
  const of = (schema: Json, depth: number): string => {
    if (schema === false) return 'nothing';
    if (!isObject(schema) || depth === 0) return ANYTHING;
    const { enum: choices, const: only, type, items, anyOf, oneOf = anyOf } = resolved(schema);
    if (Array.isArray(choices)) return choices.map((one) => code(JSON.stringify(one))).join(', ');
    if (only !== undefined) return code(JSON.stringify(only));
    if (Array.isArray(oneOf)) return oneOf.map((one: Json) => of(one, depth - 1)).join(' or ');
    if (Array.isArray(type)) return type.join(' or ');
    const inner = type === 'array' && items !== undefined ? of(items, depth - 1) : ANYTHING;
    if (inner !== ANYTHING) return `array of ${inner}`;
    return typeof type === 'string' ? type : ANYTHING;
  };
  return { resolved, of: (schema) => of(schema, DEPTH) };
}

function pathOf(target: string): string[] {
  const keys = target.slice(1).split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
