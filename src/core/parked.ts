import { type Line, type LineKind, lineKinds } from './ports/router.ts';
import type { TaskRow } from './records.ts';

const FOR_PROVIDER = 'provider ';
/** Between the name of a method, which has no spaces, and a model. */
const MODEL = ' model=';
/** The same between it and the one provider that may take the call. */
const ONLY = ' only=';
const IN_LINE = 'line ';
const AWAY = 'bridge ';
/** In the queue of a run that is paused. */
export const PAUSED = 'paused';
/** Characters; at up to three bytes each they fit into any index. */
const LONGEST_KEY = 200;

/** Why a queued task may not be claimed that an engine gave back because it has no provider with the method. */
export function parkedFor(method: string): string {
  return FOR_PROVIDER + method;
}

/**
 * What nobody serves of a protocol: a method, one with a model, or one of a provider that alone may be called and is not
 * there. The model comes from params: whatever it holds, databases must take it.
 */
export function unservedName(method: string, model: string | null, only: string | null = null): string {
  if (model !== null) return storable(`${method}${MODEL}${model}`);
  return only === null ? method : storable(`${method}${ONLY}${only}`);
}

/** The model that a task waits for a provider of, or null where it is the method that nobody has. */
export function unservedModel({ parked }: Pick<TaskRow, 'parked'>): string | null {
  return afterMethod(parked, MODEL);
}

/** The one provider that a task waits for, or null where others would do. */
export function unservedOnly({ parked }: Pick<TaskRow, 'parked'>): string | null {
  return afterMethod(parked, ONLY);
}

function afterMethod(parked: string | null, word: string): string | null {
  if (!parked?.startsWith(FOR_PROVIDER)) return null;
  const at = parked.indexOf(' ', FOR_PROVIDER.length);
  return at !== -1 && parked.startsWith(word, at) ? parked.slice(at + word.length) : null;
}

/** Protocol and method that a task waits for a provider of, or null where it does not. */
export function unservedCall({ lane, parked }: Pick<TaskRow, 'lane' | 'parked'>): string | null {
  return parked?.startsWith(FOR_PROVIDER) ? callName(lane, parked.slice(FOR_PROVIDER.length)) : null;
}

export function callName(protocol: string, method: string): string {
  return `${protocol} ${method}`;
}

/** Why a queued task may not be claimed that waits in a line: the name of that line in the store. */
export function lineName({ kind, key }: Pick<Line, 'kind' | 'key'>): string {
  return `${IN_LINE}${kind} ${storable(key)}`;
}

export function isInLine(parked: string | null): parked is string {
  return parked?.startsWith(IN_LINE) ?? false;
}

/** What a routed task says whose call was handed over: whom it is for. As it is, since the log says the same. */
export function parkedAway(provider: string | null): string {
  return AWAY + (provider ?? '');
}

export function awayProvider(parked: string | null): string | null {
  if (!parked?.startsWith(AWAY)) return null;
  return parked.slice(AWAY.length) || null;
}

const lineWords: Readonly<Record<LineKind, string>> = {
  concurrency: 'a place',
  rate: 'its turn by a rate',
  breaker: 'a service to be tried again after failures',
  unhealthy: 'a service to answer when it is asked how it is',
  drained: 'somebody to resume the provider',
};

/** What a queued task waits for, in words that say what to look at; null for one that is not queued. */
export function waitsFor({
  status,
  lane,
  parked,
}: Pick<TaskRow, 'status' | 'lane' | 'parked'>): string | null {
  if (status !== 'queued') return null;
  const line = lineOf(parked);
  if (line !== null) return `${lineWords[line.kind]} (${line.key})`;
  const call = unservedCall({ lane, parked });
  if (call !== null) return `a provider of ${call}`;
  return parked === PAUSED ? 'its run to be resumed' : `its turn in the queue of ${lane}`;
}

/** Keys are made from params: whatever they hold, databases must take them, and into an index. */
function storable(key: string): string {
  const text = key.toWellFormed().replaceAll('\0', '\uFFFD');
  return text.length <= LONGEST_KEY ? text : `${text.slice(0, LONGEST_KEY).toWellFormed()} ${checksum(text)}`;
}

/** FNV-1a: long keys that begin alike stay apart. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return (sum >>> 0).toString(16);
}

/** The line that a task waits in, or null where it waits in none. */
export function lineOf(parked: string | null): Pick<Line, 'kind' | 'key'> | null {
  if (!isInLine(parked)) return null;
  const words = parked.slice(IN_LINE.length);
  const kind = lineKinds.find((known) => words.startsWith(`${known} `));
  return kind === undefined ? null : { kind, key: words.slice(kind.length + 1) };
}
