import type { Json } from '../core/json.ts';
import type { RpcParams } from '../rpc/messages.ts';

/** One call as it is sent. */
export type SingleCall = {
  readonly method: string;
  readonly params?: RpcParams | undefined;
  /** Whether it may be sent again when its answer was lost. */
  readonly repeatable: boolean;
};

/** What carries single calls. */
export interface Caller {
  /** Rejects with a CallError, a ConnectionError, or the signal's reason. */
  call(call: SingleCall, signal: AbortSignal): Promise<Json>;
}
