import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { ExecuteTaskParams } from '../contract/methods.ts';
import { pointersTo, withoutToken } from './said.ts';
import type { ExecutionSettings, Target } from './settings.ts';

/** One execute_task as the engine takes it. */
export type PlannedRun = {
  readonly workflow: JsonObject;
  readonly input: JsonObject;
  /** Where the token is in the input. */
  readonly secret_input: readonly string[];
  readonly idempotency_key: string;
};

/** What is for the zones and not for the task. */
const betweenZones = ['idempotency_key', 'budget_ms'];
const PREFIX = 'zone-';
const STEP = 'execute';

/** Whether a task of this name can only have been given out here. */
export function isZoneRun(task_id: string): boolean {
  return task_id.startsWith(PREFIX);
}

export type PlanRequest = { readonly id: string; readonly params: ExecuteTaskParams };

/**
 * A request as a run. What it is known by follows from the idempotency key, or from the id where there is none, and the id
 * is the engine's own key: so an id runs once, a key runs once, and either of them with another body is refused by the store.
 */
export function planRun(
  { id, params }: PlanRequest,
  { execute, timeout_ms }: Pick<ExecutionSettings, 'execute' | 'timeout_ms'>,
  { defined, hash }: { readonly defined: JsonObject | null; readonly hash: (text: string) => string },
): PlannedRun {
  const name = params.idempotency_key ?? id.toLowerCase();
  const workflow_id = `${PREFIX}${hash(name)}`;
  const task = taskParams(params);
  const known = { workflow_id, idempotency_key: `zone:${id.toLowerCase()}` };
  if (defined !== null) return planned(bounded(defined, timeout_ms), task, { ...known, params });
  const said = withoutToken(task, params.bot_token);
  return planned(oneTask(execute, said.template as JsonObject, timeout_ms), said.input, { ...known, params });
}

/** Whatever of the input repeats the token is sealed. */
function planned(
  workflow: JsonObject,
  input: JsonObject,
  known: { workflow_id: string; idempotency_key: string; params: ExecuteTaskParams },
): PlannedRun {
  const { workflow_id, idempotency_key, params } = known;
  return {
    ...{ workflow: { ...workflow, workflow_id }, input, idempotency_key },
    secret_input: pointersTo(input, params.bot_token),
  };
}

/** No step waits for longer than the whole may take, so that a run ends of itself where nobody asks for its result. */
function bounded(workflow: JsonObject, timeout_ms: number): JsonObject {
  const tasks = own(workflow, 'tasks');
  if (!Array.isArray(tasks)) return workflow;
  const total_timeout = timeout_ms / 1000;
  return {
    ...workflow,
    tasks: tasks.map((task: Json) => (isObject(task) ? { total_timeout, ...task } : task)),
  };
}

function taskParams(params: ExecuteTaskParams): JsonObject {
  const known = Object.entries(params).filter(
    ([key, value]) => value !== undefined && !betweenZones.includes(key),
  );
  return Object.fromEntries(known) as JsonObject;
}

function oneTask(execute: Target, params: JsonObject, timeout_ms: number): JsonObject {
  const step = { id: STEP, total_timeout: timeout_ms / 1000, timeout: timeout_ms / 1000 };
  const { text = '' } = params;
  if ('agent' in execute) return named({ ...step, agent: execute.agent, input: { text } });
  if (!('protocol' in execute)) throw new TypeError('a workflow is looked up before it is planned');
  const { protocol, method } = execute;
  return named({ ...step, protocol, method, params });
}

function named(task: JsonObject): JsonObject {
  return { name: 'execute_task', tasks: [task] };
}
