import { REST_PATH, type RestOperation, restOperations } from '../../api/rest.ts';
import type { JsonObject } from '../../core/json.ts';
import { nearest } from '../../core/suggest.ts';

export type Matched = {
  readonly operation: RestOperation;
  /** Params that stand in the path, decoded. */
  readonly named: JsonObject;
};

const compiled = restOperations.map((operation) => ({
  operation,
  segments: operation.path.slice(1).split('/'),
}));

/** What is asked for with this method and path, or undefined. A word in the path comes before a name. */
export function matchRest(http: string, path: string): Matched | undefined {
  const asked = http === 'HEAD' ? 'GET' : http;
  return matching(path).find(({ operation }) => operation.http === asked);
}

export function methodsAt(path: string): readonly string[] {
  const methods = new Set<string>(matching(path).map(({ operation }) => operation.http));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods];
}

/** The resources, and first the one that somebody may have meant. */
export function resourcesFor(path: string): readonly string[] {
  const all = [...new Set(compiled.map(({ segments: [first = ''] }) => first))];
  const [asked = ''] = path.slice(REST_PATH.length + 1).split('/');
  const meant = nearest(asked, all);
  const sorted = meant === undefined ? all : [meant, ...all.filter((one) => one !== meant)];
  return sorted.map((one) => `${REST_PATH}/${one}`);
}

function matching(path: string): readonly Matched[] {
  if (!path.startsWith(`${REST_PATH}/`)) return [];
  const given = path
    .slice(REST_PATH.length + 1)
    .split('/')
    .map(decoded);
  return compiled
    .filter(({ segments }) => fits(segments, given))
    .sort((a, b) => namesIn(a.segments) - namesIn(b.segments))
    .map(({ operation, segments }) => ({ operation, named: namedIn(segments, given) }));
}

function fits(segments: readonly string[], given: readonly (string | null)[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, at) => (isName(segment) ? Boolean(given[at]) : given[at] === segment))
  );
}

function namesIn(segments: readonly string[]): number {
  return segments.filter(isName).length;
}

function namedIn(segments: readonly string[], given: readonly (string | null)[]): JsonObject {
  return Object.fromEntries(
    segments.flatMap((segment, at) => (isName(segment) ? [[segment.slice(1, -1), given[at] ?? '']] : [])),
  );
}

function isName(segment: string): boolean {
  return segment.startsWith('{');
}

/** Null where the percent signs mean nothing. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
