import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { ExecuteTaskParams } from '../contract/methods.ts';
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
  const workflow = defined === null ? oneTask(execute, task, timeout_ms) : bounded(defined, timeout_ms);
  return {
    workflow: { ...workflow, workflow_id },
    input: defined === null ? { bot_token: params.bot_token } : task,
    secret_input: ['/bot_token'],
    idempotency_key: `zone:${id.toLowerCase()}`,
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

/** What was said stands there as it is: a text that looks like a reference is none. Only the token is one, to where it is sealed. */
function oneTask(execute: Target, params: JsonObject, timeout_ms: number): JsonObject {
  const step = { id: STEP, total_timeout: timeout_ms / 1000, timeout: timeout_ms / 1000 };
  const { text = '' } = params;
  if ('agent' in execute) return named({ ...step, agent: execute.agent, input: { text: literal(text) } });
  if (!('protocol' in execute)) throw new TypeError('a workflow is looked up before it is planned');
  const { protocol, method } = execute;
  const given = { ...(literal(params) as JsonObject), bot_token: '${workflow.input.bot_token}' };
  return named({ ...step, protocol, method, params: given });
}

function named(task: JsonObject): JsonObject {
  return { name: 'execute_task', tasks: [task] };
}

function literal(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => literal(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, literal(item)])) as JsonObject;
}
