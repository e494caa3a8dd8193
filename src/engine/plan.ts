import { canonicalJson } from '../core/canonical.ts';
import type { TaskDefinition, WorkflowDefinition } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { MAX_PAYLOAD, TOO_LARGE, TOO_LARGE_HINT } from '../core/limits.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import { mapPointers, maySeal, SEALED } from '../core/secrets.ts';
import type { NewRun, NewTask } from '../core/writes.ts';
import { planEach } from './place.ts';
import { type AgentLookup, withAgent } from './task-agents.ts';

export type PlanParts = {
  readonly schemas: Schemas;
  readonly cipher: Cipher;
  readonly newId: () => string;
  readonly hash: (text: string) => string;
  /** Those that tasks may name; left out where nobody knows, and whoever is named may yet come. */
  readonly agents?: AgentLookup | undefined;
};

/** What a submission brings besides its definition. */
export type TaskOptions = { readonly idempotency_key: string | null; readonly traceparent: string | null };
/** What makes two submissions the same, where whoever submits knows better than the definition tells: instead of its hash. */
export type SameBody = { readonly body_mark?: string };
export type LoneOptions = TaskOptions &
  SameBody & {
    /** Where secrets are in the params that no schema marks, as JSON pointers. */
    readonly secret_params?: readonly string[];
    readonly id_prefix?: string;
  };
export type RunOptions = TaskOptions &
  SameBody & {
    readonly input: Json;
    /** Where secrets are in the input, as JSON pointers. */
    readonly secret_input?: readonly string[];
  };

type Links = { readonly dependents: readonly string[]; readonly inputs: Readonly<Record<string, string>> };

const NO_LINKS: Links = { dependents: [], inputs: {} };

/** One task as a run of its own. */
export function planTask(
  parts: PlanParts,
  definition: TaskDefinition,
  { idempotency_key, traceparent, secret_params = [], id_prefix = '', body_mark }: LoneOptions,
): NewRun {
  const task_id = id_prefix + parts.newId();
  const checked = check(parts, definition);
  const place = { task_id, id: task_id, links: NO_LINKS, traceparent, secret_params };
  const task = planOne(parts, checked, place);
  const hashed = () => (idempotency_key === null ? '' : hashBody(parts, [checked], null, secret_params));
  return { workflow: null, tasks: [task], body_hash: body_mark ?? hashed(), idempotency_key };
}

/** A workflow as a run: ids given out, dependencies turned into counts and links. */
export function planWorkflow(parts: PlanParts, definition: WorkflowDefinition, options: RunOptions): NewRun {
  const workflow_id = definition.workflow_id ?? parts.newId();
  const tasks = planEach(definition.tasks, (task) => check(parts, task));
  const ids = new Map(tasks.map((task) => [task.id, parts.newId()]));
  const dependents = dependentsById(tasks, ids);
  const { name, version } = definition;
  const { secret_input = [] } = options;
  const input = sealInput(parts, options.input, secret_input);
  const hides = maySeal(input);
  const hashed = () => {
    // An id of our own making and no key: nobody can send the same again.
    if (definition.workflow_id === null && options.idempotency_key === null) return '';
    const shown = marked(parts, options.input, secret_input);
    return parts.hash(canonicalJson([definition.workflow_id, name, version, hashBody(parts, tasks, shown)]));
  };
  return {
    workflow: { workflow_id, name, version, input },
    tasks: tasks.map((task) => {
      const links = { dependents: dependents.get(task.id) ?? [], inputs: inputsOf(task, ids) };
      const { traceparent } = options;
      const place = { task_id: idIn(ids, task.id), id: task.id, links, traceparent, hides };
      return planOne(parts, task, place);
    }),
    body_hash: options.body_mark ?? hashed(),
    idempotency_key: options.idempotency_key,
  };
}

/** As it was written: what its agent adds is no part of what makes two submissions the same. */
function check(parts: PlanParts, task: TaskDefinition): TaskDefinition {
  const { protocol, method, params } = task;
  withAgent(parts.agents, task);
  return { ...task, params: parts.schemas.checkParams({ protocol, method, params, stage: 'template' }) };
}

function dependentsById(
  tasks: readonly TaskDefinition[],
  ids: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const dependents = new Map<string, string[]>();
  for (const task of tasks) {
    for (const dependency of task.dependencies) {
      const list = dependents.get(dependency) ?? [];
      list.push(idIn(ids, task.id));
      dependents.set(dependency, list);
    }
  }
  return dependents;
}

function inputsOf(task: TaskDefinition, ids: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(task.references.map((id) => [id, idIn(ids, id)]));
}

function idIn(ids: ReadonlyMap<string, string>, id: string): string {
  const task_id = ids.get(id);
  if (task_id === undefined)
    throw new GleitzeitError('GLZ9001', `a checked workflow names an unknown task: ${id}`);
  return task_id;
}

type Place = {
  readonly task_id: string;
  readonly id: string;
  readonly links: Links;
  readonly traceparent: string | null;
  readonly secret_params?: readonly string[];
  /** The run's input has secrets, which are kept out of whatever its tasks come to. */
  readonly hides?: boolean;
};

function planOne(parts: PlanParts, task: TaskDefinition, place: Place): NewTask {
  const { name, protocol, method, dependencies, retry_config, timeout, agent } = withAgent(
    parts.agents,
    task,
  );
  const called = { name, protocol, method, dependencies, retry_config, timeout };
  const spec = agent === undefined ? called : { ...called, agent };
  return {
    task_id: place.task_id,
    id: place.id,
    lane: protocol,
    priority: task.priority,
    on_failure: task.on_failure,
    total_timeout: task.total_timeout,
    spec: place.traceparent === null ? spec : { ...spec, traceparent: place.traceparent },
    params: sealParams(parts, task, place.secret_params),
    pending: dependencies.length,
    dependents: place.links.dependents,
    inputs: place.links.inputs,
    uses_input: task.uses_input || place.hides === true,
  };
}

/** Invariant 10: what the schema marks as secret is sealed before it leaves this process. */
function sealParams(parts: PlanParts, task: TaskDefinition, secret_params?: readonly string[]): string {
  const text = checkedText(task.params, '/params');
  const pointers = secretsOf(parts, task, secret_params);
  if (pointers.length === 0) return text;
  return JSON.stringify(sealedAt(parts, task.params, pointers));
}

/** A place that both of them name is sealed once. */
function secretsOf(
  { schemas }: PlanParts,
  { protocol, method }: TaskDefinition,
  secret_params: readonly string[] = [],
): readonly string[] {
  const { params } = schemas.secrets(protocol, method);
  return secret_params.length === 0 ? params : [...params, ...secret_params];
}

function sealInput(parts: Pick<PlanParts, 'cipher'>, input: Json, pointers: readonly string[]): string {
  const text = checkedText(input, '/input');
  return pointers.length === 0 ? text : JSON.stringify(sealedAt(parts, input, pointers));
}

function sealedAt({ cipher }: Pick<PlanParts, 'cipher'>, value: Json, pointers: readonly string[]): Json {
  return mapPointers(value, pointers, (secret) => ({ [SEALED]: cipher.seal(JSON.stringify(secret)) }));
}

function marked({ cipher }: Pick<PlanParts, 'cipher'>, value: Json, pointers: readonly string[]): Json {
  return mapPointers(value, pointers, (secret) => cipher.mark(canonicalJson(secret)));
}

export function checkedText(value: Json, field: string): string {
  const text = JSON.stringify(value);
  if (text.length > MAX_PAYLOAD) {
    const details = { field, reason: TOO_LARGE, hint: TOO_LARGE_HINT };
    throw new GleitzeitError('GLZ1007', `${field} ${TOO_LARGE}`, details);
  }
  if (maySeal(text)) {
    const reason = `"${SEALED}" is not allowed as a key`;
    throw new GleitzeitError('GLZ1005', reason, { field, reason });
  }
  return text;
}

/** Equal for equal submissions; a secret enters by a keyed mark, so that the hash tells nothing of it. */
function hashBody(
  parts: PlanParts,
  tasks: readonly TaskDefinition[],
  input: Json,
  secret_params?: readonly string[],
): string {
  const shown = tasks.map((task) => {
    const pointers = secretsOf(parts, task, secret_params);
    const params = marked(parts, task.params, pointers);
    return { ...task, params, retry_config: { ...task.retry_config } };
  });
  return parts.hash(canonicalJson({ tasks: shown, input }));
}
