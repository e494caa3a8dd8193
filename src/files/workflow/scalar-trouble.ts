import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { choicesOf, describeSchema } from '../describe.ts';

/** What a schema wants instead. */
export type Trouble = { readonly wanted: string; readonly hint: string | null };

/** What is certainly wrong with a value by the words of one schema about values of its kind; null where nothing is. */
export function scalarTrouble(schema: JsonObject, value: Json): Trouble | null {
  const wanted = describeSchema(schema);
  if (Object.hasOwn(schema, 'const') || Array.isArray(own(schema, 'enum'))) {
    const choices = choicesOf(schema) ?? [];
    if (choices.some((choice) => sameJson(choice, value))) return null;
    return { wanted, hint: nearestChoice(choices, value) };
  }
  if (typeof value === 'number') return inRange(schema, value) ? null : { wanted, hint: null };
  if (typeof value === 'string') return ofLength(schema, [...value].length, 'Length', wanted);
  if (Array.isArray(value)) return ofLength(schema, value.length, 'Items', wanted);
  return isObject(value) ? ofLength(schema, Object.keys(value).length, 'Properties', wanted) : null;
}

function inRange(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject,
  value: number,
): boolean {
  return (
    !(typeof minimum === 'number' && value < minimum) &&
    !(typeof maximum === 'number' && value > maximum) &&
    !(typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
  );
}

function ofLength(schema: JsonObject, length: number, of: string, wanted: string): Trouble | null {
  const [least, most] = [own(schema, `min${of}`), own(schema, `max${of}`)];
  if (typeof least === 'number' && length < least)
    return { wanted, hint: `it needs at least ${least}, and has ${length}` };
  if (typeof most === 'number' && length > most)
    return { wanted, hint: `it takes at most ${most}, and has ${length}` };
  return null;
}

function nearestChoice(choices: readonly Json[], value: Json): string | null {
  const words = choices.filter((choice) => typeof choice === 'string');
  return typeof value === 'string' && words.length > 0 ? didYouMean(value, words, 'one of') : null;
}

/** Keys in any order, as JSON Schema compares. */
function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item: Json, i) => sameJson(item, b[i] as Json));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as Json, b[key] as Json))
  );
}
