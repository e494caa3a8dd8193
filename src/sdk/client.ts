import type { MethodName, ParamsOf, ResultOf } from '../api/methods.ts';
import type { EventFilter, EventStream } from './event.ts';

export type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the answer, reconnecting included; 30 seconds where nothing is said. */
  readonly timeout_ms?: number | undefined;
};

/** Without `timeout_ms` it waits for as long as it takes. */
export type WaitOptions = CallOptions;

export type RunWaitOptions = WaitOptions & {
  /** Short ids of the tasks whose results are wanted; all without it. */
  readonly tasks?: readonly string[] | undefined;
};

/** Params may be left out where nothing has to be said. */
export type CallArguments<Name extends MethodName> =
  Record<never, never> extends ParamsOf<Name>
    ? [params?: ParamsOf<Name>, options?: CallOptions]
    : [params: ParamsOf<Name>, options?: CallOptions];

/**
 * A server as programs see it. Rejections are a CallError (the server refused), a ConnectionError (it did not answer) or
 * the reason of the signal that was given.
 */
export interface Client {
  call<Name extends MethodName>(method: Name, ...rest: CallArguments<Name>): Promise<ResultOf<Name>>;
  /** The same for methods whose names are not known before. */
  request(method: string, params?: unknown, options?: CallOptions): Promise<unknown>;
  events(filter?: EventFilter, options?: { readonly signal?: AbortSignal | undefined }): EventStream;
  /** Resolves when the task has settled, whatever became of it: `status` tells, and `error`. */
  taskResult(task_id: string, options?: WaitOptions): Promise<ResultOf<'task.result'>>;
  /** Resolves when the run has settled. */
  runResults(workflow_id: string, options?: RunWaitOptions): Promise<ResultOf<'workflow.results'>>;
  /** Ends everything: calls and waits under way reject, iterations end. Safe to repeat. */
  close(): void;
}
