import { isObject, type Json } from '../../core/json.ts';
import type { Path } from '../path.ts';
import type { Call } from './call.ts';

/** Nobody writes this. */
const MARK = '\u0000mark\u0000';

/** Where something that is written becomes part of the params: right there, or where the arguments of a function go. */
export function placesInParams(call: Call | null, written: Path): readonly Path[] {
  const [key, ...inside] = written;
  if (call?.paramsOf === undefined || key === undefined) return [written];
  return pathsOf(call.paramsOf({ [key]: MARK })).map((place) => [...place, ...inside]);
}

/** What is written where this param comes from; as near as that can be said. */
export function writtenFor(call: Call | null, keys: readonly string[], param: Path): Path {
  if (call?.paramsOf === undefined) return param;
  for (const key of keys) {
    const place = placesInParams(call, [key]).find((one) => one.every((step, i) => step === param[i]));
    if (place !== undefined) return [key, ...param.slice(place.length)];
  }
  return [];
}

function pathsOf(value: Json, path: Path = []): readonly Path[] {
  if (typeof value === 'string') return value.includes(MARK) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => pathsOf(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]));
}
