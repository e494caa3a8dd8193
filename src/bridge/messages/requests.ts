import type { Json, JsonObject } from '../../core/json.ts';
import { Type } from '../../type.ts';
import { type Reader, readerOf, unreadable } from './read.ts';
import { AnyObject, Anything, Name, OptionalName, OptionalText } from './shapes.ts';

/** Somebody wants a workflow to run. */
export type ExecutionRequest = {
  /** The id of the run; asked for twice it runs once. */
  readonly run_id: string;
  /** A workflow as files have it, or the name of one that is defined. */
  readonly workflow_plan: JsonObject | string;
  readonly input_data: JsonObject;
  readonly correlation_id: string | null;
};

const Execution = Type.Object({
  run_id: Name,
  workflow_plan: Anything,
  input_data: Type.Optional(Type.Union([AnyObject, Type.Null()])),
  correlation_id: OptionalName,
});
const readExecution = readerOf('execution request', Execution);

export const readExecutionRequest: Reader<ExecutionRequest> = (bytes) => {
  const { run_id, workflow_plan, input_data, correlation_id } = readExecution(bytes);
  const plan = { workflow_plan: planOf(workflow_plan) };
  return { run_id, ...plan, input_data: input_data ?? {}, correlation_id: correlation_id ?? null };
};

function planOf(plan: Json): JsonObject | string {
  if (typeof plan === 'string' && plan !== '') return plan;
  if (typeof plan === 'object' && plan !== null && !Array.isArray(plan)) return plan as JsonObject;
  const reason = 'must be a workflow, or the name of one that is defined';
  throw unreadable('execution request', { field: '/workflow_plan', reason });
}

/** Somebody wants a run to end. */
export type CancellationRequest = {
  readonly run_id: string;
  readonly requested_by: string | null;
  readonly reason: string | null;
};

const Cancellation = Type.Object({ run_id: Name, requested_by: OptionalName, reason: OptionalText });
const readCancellation = readerOf('cancellation request', Cancellation);

export const readCancellationRequest: Reader<CancellationRequest> = (bytes) => {
  const { run_id, requested_by, reason } = readCancellation(bytes);
  return { run_id, requested_by: requested_by ?? null, reason: reason ?? null };
};
