import { isObject, type Json } from '../../core/json.ts';
import { parseTemplate, type Segment } from '../../core/reference-syntax.ts';

type Path = readonly Segment[];

/** Of a value the places that references lead to, and nothing else of it. */
export type Places = (value: Json) => Json;

/** References that begin with `head`, in some parts of a mapping. */
export type Reads = { readonly head: string; readonly parts: readonly (Json | undefined)[] };

/** What they lead to; null where there are none. */
export function placesIn(...reads: readonly Reads[]): Places | null {
  const paths = reads.flatMap(({ head, parts }) =>
    parts.flatMap((part) => (part === undefined ? [] : pathsIn(part, head))),
  );
  return paths.length === 0 ? null : (value) => only(value, paths);
}

function pathsIn(part: Json, head: string): Path[] {
  if (typeof part === 'string') return part.includes('${') ? pathsInText(part, head) : [];
  return typeof part === 'object' && part !== null
    ? Object.values(part).flatMap((inner: Json) => pathsIn(inner, head))
    : [];
}

function pathsInText(text: string, head: string): Path[] {
  return parseTemplate(text)
    .flatMap((piece) => (typeof piece === 'string' ? [] : piece))
    .flatMap((operand) => (operand.kind === 'path' && operand.head === head ? [operand.path] : []));
}

function only(value: Json, paths: readonly Path[]): Json {
  if (paths.some((path) => path.length === 0)) return value;
  const inside = (key: string) =>
    paths.filter(([first]) => String(first) === key).map((path) => path.slice(1));
  if (Array.isArray(value)) {
    const last = Math.max(...paths.map(([first]) => Number(first)).filter(Number.isInteger));
    return value.slice(0, last + 1).map((item: Json, index) => part(item, inside(String(index))));
  }
  if (!isObject(value)) return null;
  const kept = Object.entries(value).filter(([key]) => inside(key).length > 0);
  return Object.fromEntries(kept.map(([key, item]) => [key, only(item, inside(key))]));
}

/** An item before one that is read keeps its place, and no more. */
function part(item: Json, paths: readonly Path[]): Json {
  return paths.length === 0 ? null : only(item, paths);
}
