import type { NewAgent } from '../../core/agent.ts';
import type { ErrorRecord } from '../../core/errors.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { RetryConfig } from '../../core/retry.ts';
import { defaultRetry } from '../../core/retry.ts';
import type { NewRun, NewTask } from '../../core/writes.ts';

/** Three attempts, one second apart, nothing left to chance. */
export const plainRetry: RetryConfig = { ...defaultRetry, backoff: 'fixed', jitter: 0 };

export const LANE = 'test';

type TaskDetails = Partial<Omit<NewTask, 'spec'>> & {
  readonly retry?: Partial<RetryConfig>;
  readonly traceparent?: string;
  readonly agent?: string;
};

export function newTask(
  task_id: string,
  { retry, traceparent, agent, ...details }: TaskDetails = {},
): NewTask {
  const id = details.id ?? task_id;
  return {
    task_id,
    id,
    lane: LANE,
    priority: 'normal',
    on_failure: 'skip',
    total_timeout: null,
    params: '{}',
    pending: 0,
    dependents: [],
    inputs: {},
    uses_input: false,
    ...details,
    spec: {
      name: id,
      protocol: 'test/v1',
      method: 'echo',
      dependencies: [],
      retry_config: { ...plainRetry, ...retry },
      timeout: 30,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(agent === undefined ? {} : { agent }),
    },
  };
}

/** A task submitted alone. */
export function lone(
  task_id: string,
  details: TaskDetails = {},
  run: Partial<Pick<NewRun, 'body_hash' | 'idempotency_key'>> = {},
): NewRun {
  const tasks = [newTask(task_id, details)];
  return { workflow: null, tasks, body_hash: `body of ${task_id}`, idempotency_key: null, ...run };
}

type GraphTask = TaskDetails & {
  readonly after?: readonly string[];
  /** Short ids whose results the params refer to. */
  readonly reads?: readonly string[];
};

type RunDetails = Partial<Pick<NewRun, 'body_hash' | 'idempotency_key'>> & {
  readonly name?: string;
  readonly version?: string;
  readonly input?: string;
};

/** A workflow from its short ids and what each comes after. */
export function graph(
  workflow_id: string,
  tasks: Readonly<Record<string, GraphTask>>,
  run: RunDetails = {},
): NewRun {
  const { name = 'a workflow', version = null, input = '{}' } = run;
  const { body_hash = `body of ${workflow_id}`, idempotency_key = null } = run;
  const dependents = dependentsIn(tasks);
  return {
    workflow: { workflow_id, name, version, input },
    tasks: Object.entries(tasks).map(([id, { after = [], reads = [], ...details }]) => {
      const task = newTask(inRun(workflow_id, id), {
        id,
        pending: after.length,
        dependents: (dependents.get(id) ?? []).map((other) => inRun(workflow_id, other)),
        inputs: Object.fromEntries(reads.map((other) => [other, inRun(workflow_id, other)])),
        ...details,
      });
      return { ...task, spec: { ...task.spec, dependencies: after } };
    }),
    body_hash,
    idempotency_key,
  };
}

export function inRun(workflow_id: string, id: string): string {
  return `${workflow_id}/${id}`;
}

function dependentsIn(tasks: Readonly<Record<string, GraphTask>>): Map<string, string[]> {
  const dependents = new Map<string, string[]>();
  for (const [id, { after = [] }] of Object.entries(tasks)) {
    for (const before of after) push(dependents, before, id);
  }
  return dependents;
}

/**
 * A run of the same tasks as another that brings the results of some of them along, by short id: of each with those of
 * all that it comes after.
 */
export function retryOf(run: NewRun, workflow_id: string, results: Readonly<Record<string, string>>): NewRun {
  const old = run.workflow?.workflow_id ?? '';
  const renamed = (task_id: string) => inRun(workflow_id, task_id.slice(old.length + 1));
  return {
    ...run,
    workflow: run.workflow === null ? null : { ...run.workflow, workflow_id, retry_of: old },
    body_hash: `retry of ${old}`,
    idempotency_key: null,
    tasks: run.tasks.map((task): NewTask => {
      const result = Object.hasOwn(results, task.id) ? results[task.id] : undefined;
      const { reused: _, ...rest } = task;
      return {
        ...rest,
        task_id: renamed(task.task_id),
        pending: task.spec.dependencies.filter((id) => !Object.hasOwn(results, id)).length,
        dependents: task.dependents.map(renamed),
        inputs: Object.fromEntries(Object.entries(task.inputs).map(([id, other]) => [id, renamed(other)])),
        ...(result === undefined ? {} : { reused: { workflow_id: old, task_id: task.task_id, result } }),
      };
    }),
  };
}

/** An error that is tried again, and one that is final. */
export const passing: ErrorRecord = new GleitzeitError('GLZ2002', 'the connection broke').toRecord();
export const final: ErrorRecord = new GleitzeitError('GLZ2010', 'the service refused').toRecord();

function push(lists: Map<string, string[]>, key: string, item: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

export function agent(name: string, fields: Partial<NewAgent> = {}): NewAgent {
  return {
    id: `id of ${name}`,
    name,
    url: 'http://a',
    description: null,
    protocol: 'simple-a2a',
    protocol_config: '{}',
    settings: '{}',
    ...fields,
  };
}
