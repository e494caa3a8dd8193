/**
 * What kind of trouble an error is. `retry_config.retry_on` speaks in these words, and so does the default of what is
 * tried again.
 */
export type ErrorClass =
  | 'transport'
  | 'timeout'
  | 'rate_limit'
  | 'server'
  | 'interrupted'
  | 'invalid'
  | 'rejected'
  | 'cancelled'
  | 'store';

export type ErrorCode = keyof typeof errorCodes;

type CodeEntry = { readonly name: string; readonly rpc: number; readonly class: ErrorClass };

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

/**
 * The closed list. `rpc` is the JSON-RPC integer the error travels with: the standard ones where they fit, otherwise
 * the number of the code itself, which lies outside the range JSON-RPC reserves.
 */
export const errorCodes = {
  GLZ1001: { name: 'invalid_task', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1002: { name: 'invalid_workflow', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1003: { name: 'unknown_protocol', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1004: { name: 'unknown_method', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1005: { name: 'invalid_params', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1006: { name: 'invalid_reference', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1007: { name: 'payload_too_large', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1008: { name: 'invalid_protocol', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1009: { name: 'idempotency_conflict', rpc: 1009, class: 'invalid' },
  GLZ1010: { name: 'not_found', rpc: 1010, class: 'invalid' },
  GLZ1011: { name: 'invalid_state', rpc: 1011, class: 'invalid' },
  GLZ1012: { name: 'invalid_option', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ1013: { name: 'version_conflict', rpc: 1013, class: 'invalid' },
  GLZ1014: { name: 'unknown_agent', rpc: INVALID_PARAMS, class: 'invalid' },
  GLZ2001: { name: 'provider_failed', rpc: INTERNAL, class: 'server' },
  GLZ2002: { name: 'transport_failed', rpc: 2002, class: 'transport' },
  GLZ2003: { name: 'timed_out', rpc: 2003, class: 'timeout' },
  GLZ2004: { name: 'rate_limited', rpc: 2004, class: 'rate_limit' },
  GLZ2005: { name: 'invalid_result', rpc: 2005, class: 'rejected' },
  GLZ2006: { name: 'reference_failed', rpc: 2006, class: 'rejected' },
  GLZ2007: { name: 'no_provider', rpc: 2007, class: 'transport' },
  GLZ2008: { name: 'interrupted', rpc: 2008, class: 'interrupted' },
  GLZ2009: { name: 'cancelled', rpc: 2009, class: 'cancelled' },
  GLZ2010: { name: 'rejected', rpc: 2010, class: 'rejected' },
  GLZ3001: { name: 'store_unavailable', rpc: 3001, class: 'store' },
  GLZ3002: { name: 'store_locked', rpc: 3002, class: 'store' },
  GLZ3003: { name: 'store_full', rpc: 3003, class: 'store' },
  GLZ3004: { name: 'store_readonly', rpc: 3004, class: 'store' },
  GLZ3005: { name: 'store_corrupt', rpc: 3005, class: 'store' },
  GLZ3006: { name: 'schema_foreign', rpc: 3006, class: 'store' },
  GLZ3007: { name: 'schema_newer', rpc: 3007, class: 'store' },
  GLZ3008: { name: 'migration_changed', rpc: 3008, class: 'store' },
  GLZ3009: { name: 'record_refused', rpc: 3009, class: 'invalid' },
  GLZ3010: { name: 'secret_unreadable', rpc: 3010, class: 'rejected' },
  GLZ3011: { name: 'lease_lost', rpc: 3011, class: 'store' },
  GLZ3201: { name: 'broker_unavailable', rpc: 3201, class: 'transport' },
  GLZ3202: { name: 'broker_refused', rpc: 3202, class: 'rejected' },
  GLZ4001: { name: 'unauthenticated', rpc: 4001, class: 'invalid' },
  GLZ4002: { name: 'forbidden', rpc: 4002, class: 'invalid' },
  GLZ4003: { name: 'overloaded', rpc: 4003, class: 'rate_limit' },
  GLZ4004: { name: 'needs_connection', rpc: 4004, class: 'invalid' },
  GLZ4005: { name: 'parse_error', rpc: PARSE_ERROR, class: 'invalid' },
  GLZ4006: { name: 'invalid_request', rpc: INVALID_REQUEST, class: 'invalid' },
  GLZ4007: { name: 'method_not_found', rpc: METHOD_NOT_FOUND, class: 'invalid' },
  GLZ9001: { name: 'internal', rpc: INTERNAL, class: 'server' },
  GLZ9002: { name: 'stopping', rpc: 9002, class: 'store' },
} as const satisfies Record<string, CodeEntry>;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCodes, value);
}
