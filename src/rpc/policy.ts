import type { RpcErrorObject } from './messages.ts';

/**
 * Where endpoints that all speak JSON-RPC 2.0 differ. Dispatch reads the first half, whoever carries it over HTTP the
 * statuses. A policy is a value: an endpoint that needs another one writes it down, and no code changes.
 */
export type RpcPolicy = {
  readonly batch: 'served' | 'refused';
  /** A request without `id` asks for no answer. Some protocols answer it all the same, with `id: null`. */
  readonly missing_id: 'notification' | 'answered';
  readonly null_id: 'answered' | 'refused';
  readonly null_params: 'refused' | 'accepted';
  /** What an invalid request that carries a legal id is answered with. */
  readonly invalid_request_id: 'echoed' | 'null';
  readonly status: RpcStatuses;
  /**
   * For endpoints that answer whatever comes, in words of their own: what is said of a body or message that is refused
   * unread. Without it a body that is too large is refused with 413, and a WebSocket closed that brings what is too large
   * or is not text.
   */
  readonly unread?: { readonly too_large: RpcErrorObject; readonly binary: RpcErrorObject };
  /** The same for what the listener refuses with a status of its own, such as 401 or 503, and for which error of ours. */
  readonly refused?: (status: number, error: RpcErrorObject) => RpcErrorObject;
};

export type RpcStatuses = {
  /** An answer, result or error, unless `codes` names another status for the error. A batch always has this one. */
  readonly answer: number;
  /** Nothing to say: notifications only. */
  readonly nothing: number;
  /** By the JSON-RPC code of a single error. */
  readonly codes: ReadonlyMap<number, number>;
  /** A batch where none is served. */
  readonly batch_refused: number;
  readonly content_type: { readonly status: number; readonly code: number | null };
};

/** Our own endpoint: what plain JSON-RPC over HTTP recommends. Whatever can be answered is answered with 200. */
export const plainPolicy: RpcPolicy = {
  batch: 'served',
  missing_id: 'notification',
  null_id: 'answered',
  null_params: 'refused',
  invalid_request_id: 'echoed',
  status: {
    answer: 200,
    nothing: 204,
    codes: new Map(),
    batch_refused: 200,
    content_type: { status: 415, code: null },
  },
};
