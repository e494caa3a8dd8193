import type { OutsideWait } from '../answer.ts';
import type { ErrorCode } from '../error-codes.ts';
import { type ErrorRecord, errorRecord } from '../errors.ts';
import type { RunRow, TaskRow, TaskSpec } from '../records.ts';
import { defaultRetry } from '../retry.ts';
import type { NewRun, NewTask, WriteOf } from '../writes.ts';

export function taskRow(fields: Partial<TaskRow> = {}): TaskRow {
  return {
    task_id: 't1',
    workflow_id: null,
    id: fields.task_id ?? 't1',
    lane: 'echo/v1',
    priority: 'normal',
    on_failure: 'skip',
    has_dependents: false,
    total_timeout: null,
    created_at: 500,
    status: 'queued',
    pending: 0,
    blocked: 0,
    rank: 120_500,
    parked: null,
    owner: null,
    fence: 0,
    suspect: false,
    attempt_count: 0,
    attempt_base: 0,
    generation: 0,
    attempts: [],
    budget_from: null,
    due_at: null,
    expires_at: null,
    settled_at: null,
    error: null,
    result_hash: null,
    seq: 1,
    ...fields,
  };
}

export function runRow(fields: Partial<RunRow> = {}): RunRow {
  return {
    workflow_id: 'w',
    name: 'flow',
    version: null,
    status: 'running',
    total: 2,
    open: 2,
    failed: 0,
    seq: 3,
    created_at: 500,
    settled_at: null,
    body_hash: 'body',
    input_hash: '#{}',
    retry_of: null,
    ...fields,
  };
}

export function spec(fields: Partial<TaskSpec> = {}): TaskSpec {
  return {
    name: 'a task',
    protocol: 'echo/v1',
    method: 'echo',
    dependencies: [],
    retry_config: { ...defaultRetry, jitter: 0 },
    timeout: 30,
    ...fields,
  };
}

export function newTask(task_id: string, fields: Partial<NewTask> = {}): NewTask {
  return {
    task_id,
    id: task_id,
    lane: 'echo/v1',
    priority: 'normal',
    on_failure: 'skip',
    total_timeout: null,
    spec: spec(),
    params: '{}',
    pending: 0,
    dependents: [],
    inputs: {},
    uses_input: false,
    ...fields,
  };
}

export function lone(task_id: string, fields: Partial<NewTask> = {}): NewRun {
  return { workflow: null, tasks: [newTask(task_id, fields)], body_hash: 'body', idempotency_key: null };
}

export type Graph = Readonly<Record<string, readonly string[]>>;

/** A run from short ids and what each depends on; a task's own id is `w.` and the short one. */
export function workflow(
  graph: Graph,
  fields: Readonly<Record<string, Partial<NewTask>>> = {},
  workflow_id = 'w',
): NewRun {
  const full = (id: string) => `${workflow_id}.${id}`;
  const dependents = new Map<string, string[]>();
  for (const [id, dependencies] of Object.entries(graph)) {
    for (const other of dependencies) {
      const known = dependents.get(other);
      if (known === undefined) dependents.set(other, [full(id)]);
      else known.push(full(id));
    }
  }
  const tasks = Object.entries(graph).map(([id, dependencies]) =>
    newTask(full(id), {
      id,
      pending: dependencies.length,
      dependents: dependents.get(id) ?? [],
      spec: spec({ name: id, dependencies }),
      ...fields[id],
    }),
  );
  return {
    workflow: { workflow_id, name: 'flow', version: '1', input: '{"x":1}' },
    tasks,
    body_hash: 'body',
    idempotency_key: null,
  };
}

export function submitted(...runs: readonly NewRun[]): WriteOf<'submit'> {
  return { kind: 'submit', runs };
}

export function trouble(
  code: ErrorCode = 'GLZ2001',
  details: Partial<ErrorRecord['data']> = {},
): ErrorRecord {
  const { error_code: _, ...rest } = details;
  return errorRecord(code, `trouble ${code}`, rest);
}

type Held = Pick<TaskRow, 'task_id' | 'owner' | 'fence'>;

export function leaseOf({ task_id, owner, fence }: Held): { task_id: string; owner: string; fence: number } {
  return { task_id, owner: owner ?? 'nobody', fence };
}

export function started(task: Held, provider: string | null = 'p1', ago_ms = 0): WriteOf<'start'> {
  return { kind: 'start', ...leaseOf(task), start: { attempt: 1, provider, ago_ms } };
}

export function reported(
  task: Held,
  told: WriteOf<'progress'>['told'],
  attempt = 1,
  provider: string | null = 'p1',
): WriteOf<'progress'> {
  return { kind: 'progress', ...leaseOf(task), start: { attempt, provider, ago_ms: 0 }, told };
}

/** Start and outcome in one, as an engine writes them when nothing forced the start out earlier. */
export function settled(
  task: Held,
  answer: WriteOf<'settle'>['answer'],
  fields: Partial<Pick<WriteOf<'settle'>, 'start' | 'chance'>> = {},
): WriteOf<'settle'> {
  const start = { attempt: 1, provider: 'p1', ago_ms: 0 };
  return { kind: 'settle', ...leaseOf(task), start, answer, chance: 0, ...fields };
}

export const done = { word: 'done', result: '"ok"' } as const;

export function failure(code?: ErrorCode, details?: Partial<ErrorRecord['data']>) {
  return { word: 'failed', error: trouble(code, details) } as const;
}

export function outside(fields: Partial<OutsideWait> = {}): WriteOf<'settle'>['answer'] {
  const wait: OutsideWait = {
    kind: 'input',
    ask: { question: 'which one?' },
    kept: { remote: 7 },
    token: null,
    after_ms: null,
    late: 'fail',
    ...fields,
  };
  return { word: 'outside', wait };
}

export function kept(
  task: Held,
  value: string,
  attempt = 1,
  provider: string | null = 'p1',
): WriteOf<'keep'> {
  return { kind: 'keep', ...leaseOf(task), start: { attempt, provider, ago_ms: 0 }, kept: value };
}

/** An answer whose mark is the answer itself. */
export function responded(task_id: string, response: string, fields: Partial<WriteOf<'respond'>> = {}) {
  const nothing = { attempt: null, token: null, early: false } as const;
  return { kind: 'respond', task_id, response, mark: response, ...nothing, ...fields } as const;
}
