import type { TaskRow } from './records.ts';

const FOR_PROVIDER = 'provider ';

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
