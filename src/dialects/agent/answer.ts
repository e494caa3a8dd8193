import type { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';

/** What became of a call, in the one form that does not depend on what the agent speaks. */
export type AgentAnswer = {
  /** Of the request: an agent may name another by mistake. */
  readonly task_id: string;
  readonly status: 'success' | 'error';
  /** Null where it failed. */
  readonly output: Json;
  readonly error: string | null;
};

export function succeeded(task_id: string, output: Json): AgentAnswer {
  return { task_id, status: 'success', output, error: null };
}

export function failed(task_id: string, { message }: GleitzeitError): AgentAnswer {
  return { task_id, status: 'error', output: null, error: message };
}

/** An output as the result of a task that named its agent: always an object, so that `${task.result.text}` can be said of every one. */
export function agentResult(output: Json): JsonObject {
  if (isObject(output)) return output;
  if (output === null) return {};
  return typeof output === 'string' ? { text: output } : { value: output };
}
