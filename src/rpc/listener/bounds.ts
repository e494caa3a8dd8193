import type { ConnectionState } from './connections.ts';
import { type Refusal, stopping, tooManyOfYours, tooManyRequests } from './refusal.ts';
import type { Shared } from './shared.ts';

/** Whether more can be worked on. Asked again when the body is there: much may have happened in the meantime. */
export function overBounds({ quiet, limits, connections }: Shared, state: ConnectionState): Refusal | null {
  if (quiet) return stopping;
  if (state.working >= limits.requests_per_connection) return tooManyOfYours;
  return connections.working >= limits.requests ? tooManyRequests : null;
}
