import type { Json, JsonObject } from '../../core/json.ts';
import { MAX_NAME } from '../../core/limits.ts';
import type { RpcErrorObject } from '../../rpc/messages.ts';

/**
 * The closed table of what either zone answers with besides a result. The first five are JSON-RPC's own; the others lie in
 * the range it leaves to servers.
 */
export const zoneErrors = {
  parse_error: { code: -32700, message: 'Parse error', when: 'the body is no JSON' },
  invalid_request: {
    code: -32600,
    message: 'Invalid Request',
    when: 'the body is no request of this contract',
  },
  method_not_found: { code: -32601, message: 'Method not found', when: 'there is no such method' },
  invalid_params: {
    code: -32602,
    message: 'Invalid params',
    when: 'a param is missing or wrong; `data.field` names it',
  },
  internal_error: {
    code: -32603,
    message: 'Internal error',
    when: 'the zone made a mistake, which stands in its log',
  },
  timeout: { code: -32001, message: 'Timeout', when: 'the task was not done in the time it has' },
  unknown_task: {
    code: -32002,
    message: 'Unknown task',
    when: 'there is no such task, or its result has expired',
  },
  conflict: {
    code: -32003,
    message: 'Conflict',
    when: 'the same id or idempotency key came before with other params',
  },
  task_failed: { code: -32004, message: 'Task failed', when: 'the task was run and failed' },
  cancelled: { code: -32005, message: 'Cancelled', when: 'somebody cancelled the task' },
  overloaded: {
    code: -32006,
    message: 'Overloaded',
    when: 'the zone takes no more now; `data.retry_after_ms` says when',
  },
  unavailable: {
    code: -32007,
    message: 'Unavailable',
    when: 'the zone is stopping, its store is away, or what it is to run is not there yet',
  },
  forbidden: { code: -32008, message: 'Forbidden', when: 'the caller may not do this' },
  too_large: { code: -32009, message: 'Too large', when: 'the request is larger than the zone takes' },
} as const satisfies Record<string, { code: number; message: string; when: string }>;

export type ZoneErrorName = keyof typeof zoneErrors;

/** What `data` may say. Nothing of it is secret, and nothing tells of the inside. */
export type ZoneErrorData = {
  /** A JSON pointer without its first stroke: `bot_token`, `attachments/0`. */
  readonly field?: string;
  readonly reason?: string;
  readonly hint?: string;
  readonly correlation_id?: string;
  readonly task_id?: string;
  readonly retry_after_ms?: number;
};

export function zoneError(name: ZoneErrorName, data: ZoneErrorData = {}): RpcErrorObject {
  const { code, message } = zoneErrors[name];
  const said = Object.entries(data).filter(([, value]) => value !== undefined);
  return said.length === 0
    ? { code, message }
    : { code, message, data: Object.fromEntries(said) as JsonObject };
}

/** The name of a code; null for one that the table does not have. */
export function zoneErrorName(code: number): ZoneErrorName | null {
  for (const [name, entry] of Object.entries(zoneErrors))
    if (entry.code === code) return name as ZoneErrorName;
  return null;
}

const SERVER_LOWEST = -32099;
const SERVER_HIGHEST = -32000;

/** Codes of the table, and those that JSON-RPC leaves to servers: another zone may have more of them than ours. */
export function isContractCode(code: number): boolean {
  return zoneErrorName(code) !== null || (code >= SERVER_LOWEST && code <= SERVER_HIGHEST);
}

/** Whether the same request may succeed later. Conflicts, bad params and failed tasks do not. */
export function mayPass(code: number): boolean {
  const name = zoneErrorName(code);
  return name === 'internal_error' || name === 'overloaded' || name === 'unavailable';
}

/** What both zones log by; null where there is none, or one that is too long to be repeated. */
export function correlationOf(params: Json | undefined): string | null {
  const found =
    typeof params === 'object' && params !== null && !Array.isArray(params)
      ? (params as JsonObject)['correlation_id']
      : undefined;
  return typeof found === 'string' && found.length <= MAX_NAME ? found : null;
}
