import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import { type Finding, type ParsedFile, problemAt, typedPath } from '../parsed.ts';
import { type Path, stepsOf } from '../path.ts';
import { problemsError } from '../problems.ts';
import type { ReadTask } from './known-task.ts';

/** Where a task of the finished workflow is written, and where those of its keys that are written elsewhere. */
export type Place = { readonly at: Path; readonly keys: Readonly<Record<string, Path>> };

export function placesOf(read: readonly ReadTask[]): readonly Place[] {
  return read.map(({ member: { at, call, params_at, renewed } }) => {
    const called = call === null ? {} : { protocol: call.protocol_at, method: call.method_at };
    return { at, keys: { ...renewed.from, ...called, params: params_at, input: params_at } };
  });
}

/** What is wrong with a workflow that was sent somewhere, as it was told: `field` is a pointer into what was sent. */
type Complaint = { readonly field: string; readonly reason: string; readonly hint: string | null };

/** The findings that an error means, by the places of what it complains about. */
export function problemsFor(thrown: unknown, places: readonly Place[]): readonly Finding[] {
  const { code, message, details } = GleitzeitError.from(thrown);
  return complaintsOf(details, message).map(({ field, reason, hint }) => ({
    path: placeOf(stepsOf(field.replace(/^\/workflow(?=\/|$)/, '')), places),
    part: /^(?:is missing$|unknown key)/.test(reason) ? 'key' : 'value',
    message: reason,
    hint,
    code,
  }));
}

/**
 * What somebody who was sent the workflow refused it with, at the places of the file. An error that is about something
 * else stays itself.
 */
export function placedError(
  { source, places }: { readonly source: ParsedFile; readonly places: readonly Place[] },
  error: GleitzeitError,
): GleitzeitError {
  const findings = problemsFor(error, places);
  if (!findings.every(({ path: [first] }) => first === 'tasks' || first === 'template')) return error;
  return problemsError(
    findings.map((finding) => problemAt(source, { ...finding, path: typedPath(source.root, finding.path) })),
  );
}

function complaintsOf(
  details: { readonly details?: unknown; readonly field?: string },
  message: string,
): Complaint[] {
  const listed = isObject(details.details) ? own(details.details, 'problems') : undefined;
  const problems = Array.isArray(listed) ? (listed as JsonObject[]) : [details as JsonObject];
  return problems.map(({ field, reason, hint }) => ({
    field: typeof field === 'string' ? field : '',
    reason: typeof reason === 'string' ? reason : message,
    hint: typeof hint === 'string' ? hint : null,
  }));
}

function placeOf([first, index, key, ...rest]: readonly string[], places: readonly Place[]): Path {
  const place = first === 'tasks' && index !== undefined ? places[Number(index)] : undefined;
  if (place === undefined) return first === undefined ? [] : [first];
  if (key === undefined) return place.at;
  const at = Object.hasOwn(place.keys, key) ? place.keys[key] : undefined;
  return [...(at ?? [...place.at, key]), ...rest];
}
