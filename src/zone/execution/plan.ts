import { canonicalJson } from '../../core/canonical.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import type { ExecuteTaskParams } from '../contract/methods.ts';
import { escapedTexts, pointersTo, withoutToken } from './said.ts';
import type { ExecutionSettings, Target } from './settings.ts';
import { LONE_PREFIX, RUN_PREFIX } from './work.ts';

/** One execute_task as the engine takes it, as a task by itself. */
export type PlannedTask = {
  readonly task: JsonObject;
  readonly options: { readonly idempotency_key: string };
  readonly inside: {
    readonly id_prefix: string;
    /** Where the token is in the params. */
    readonly secret_params: readonly string[];
  };
};

/** The same as a run. */
export type PlannedRun = {
  readonly workflow: JsonObject;
  readonly options: {
    readonly idempotency_key: string;
    readonly input: JsonObject;
    /** Where the token is in the input. */
    readonly secret_input: readonly string[];
  };
};

/** What is for the zones and not for the task. */
const betweenZones = ['idempotency_key', 'budget_ms'];
const STEP = 'execute';

export type PlanRequest = {
  readonly id: string;
  readonly params: ExecuteTaskParams;
  /** Who asks, by the name of its key; null where nobody had to show one. */
  readonly caller: string | null;
};
export type Mark = (text: string) => string;

type Settings = Pick<ExecutionSettings, 'execute' | 'timeout_ms'>;

/**
 * What makes a request the same as another: all that it asks, and nothing of what becomes of it here, which the next
 * configuration may say otherwise. Nor of the token, which may be another when the request is sent again. A mark that needs
 * the key for secrets, since what was said may be guessed.
 */
export function bodyMark({ params }: Pick<PlanRequest, 'params'>, mark: Mark): string {
  const { bot_token: _, ...asked } = taskParams(params);
  return mark(`zone request ${canonicalJson([params.idempotency_key ?? null, asked])}`);
}

/** A key is the caller's own; and nobody can make the name of a run out of a key or an id that may be guessed. */
export function runName({ id, params, caller }: PlanRequest, mark: Mark): string {
  const { idempotency_key } = params;
  const known = idempotency_key === undefined ? ['id', id] : ['key', caller, idempotency_key];
  return RUN_PREFIX + mark(`zone run ${canonicalJson(known)}`);
}

/**
 * A request as a task by itself, which costs half of what a run does; null where it has to be a run. One with a key of its own
 * is known by two names, and where the token is part of what was said it is a reference in a template: both need a run.
 */
export function planTask(
  { id, params }: Omit<PlanRequest, 'caller'>,
  settings: Settings,
): PlannedTask | null {
  const { execute } = settings;
  const { bot_token, idempotency_key } = params;
  if ('workflow' in execute || idempotency_key !== undefined || bot_token.includes('${')) return null;
  // Only what was said is for an agent.
  const said = 'agent' in execute ? { text: params.text } : taskParams(params);
  const secret_params = pointersTo(said, bot_token);
  if (secret_params.some((pointer) => pointer !== '/bot_token')) return null;
  const call = callOf(execute, escapedTexts(said), settings.timeout_ms);
  const inside = { id_prefix: LONE_PREFIX, secret_params };
  return { task: { ...call, name: NAME }, options: { idempotency_key: keyOf(id) }, inside };
}

/**
 * A request as a run. Its name follows from the idempotency key, or from the id where there is none, and the id is the
 * engine's own key: so an id runs once, a key runs once, and either of them with another body is refused by the store.
 */
export function planRun(
  { id, params }: Omit<PlanRequest, 'caller'>,
  { execute, timeout_ms }: Settings,
  { defined, workflow_id }: { readonly defined: JsonObject | null; readonly workflow_id: string },
): PlannedRun {
  const known = { workflow_id, idempotency_key: keyOf(id) };
  const task = taskParams(params);
  if (defined !== null) return planned(bounded(defined, timeout_ms), task, { ...known, params });
  const said = withoutToken(task, params.bot_token);
  const call = callOf(execute, said.template as JsonObject, timeout_ms);
  return planned({ name: NAME, tasks: [{ id: STEP, ...call }] }, said.input, { ...known, params });
}

const NAME = 'execute_task';

/** Ids of requests are compared without regard to case. */
function keyOf(id: string): string {
  return `zone:${id.toLowerCase()}`;
}

/** Whatever of the input repeats the token is sealed. */
function planned(
  workflow: JsonObject,
  input: JsonObject,
  known: { workflow_id: string; idempotency_key: string; params: ExecuteTaskParams },
): PlannedRun {
  const { workflow_id, idempotency_key, params } = known;
  const secret_input = pointersTo(input, params.bot_token);
  return { workflow: { ...workflow, workflow_id }, options: { input, secret_input, idempotency_key } };
}

/** No step takes longer than the zone gives, so that a run ends of itself, by the store's clock, whoever asks for its result. */
function bounded(workflow: JsonObject, timeout_ms: number): JsonObject {
  const tasks = own(workflow, 'tasks');
  if (!Array.isArray(tasks)) return workflow;
  const total_timeout = timeout_ms / 1000;
  return {
    ...workflow,
    tasks: tasks.map((task: Json) =>
      isObject(task) ? { ...task, total_timeout: Math.min(total_timeout, ownTime(task)) } : task,
    ),
  };
}

function ownTime(task: JsonObject): number {
  const own_s = own(task, 'total_timeout');
  return typeof own_s === 'number' ? own_s : Number.POSITIVE_INFINITY;
}

function taskParams(params: ExecuteTaskParams): JsonObject {
  const known = Object.entries(params).filter(
    ([key, value]) => value !== undefined && !betweenZones.includes(key),
  );
  return Object.fromEntries(known) as JsonObject;
}

function callOf(execute: Target, params: JsonObject, timeout_ms: number): JsonObject {
  const times = { total_timeout: timeout_ms / 1000, timeout: timeout_ms / 1000 };
  const { text = '' } = params;
  if ('agent' in execute) return { ...times, agent: execute.agent, input: { text } };
  if (!('protocol' in execute)) throw new TypeError('a workflow is looked up before it is planned');
  const { protocol, method } = execute;
  return { ...times, protocol, method, params };
}
