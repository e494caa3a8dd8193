import { type Line, lineKinds } from './ports/router.ts';
import type { TaskRow } from './records.ts';

const FOR_PROVIDER = 'provider ';
const IN_LINE = 'line ';

/** Why a queued task may not be claimed that an engine gave back because it has no provider with the method. */
export function parkedFor(method: string): string {
  return FOR_PROVIDER + method;
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
  return `${IN_LINE}${kind} ${key}`;
}

/** The line that a task waits in, or null where it waits in none. */
export function lineOf(parked: string | null): Pick<Line, 'kind' | 'key'> | null {
  if (parked === null || !parked.startsWith(IN_LINE)) return null;
  const words = parked.slice(IN_LINE.length);
  const kind = lineKinds.find((known) => words.startsWith(`${known} `));
  return kind === undefined ? null : { kind, key: words.slice(kind.length + 1) };
}
