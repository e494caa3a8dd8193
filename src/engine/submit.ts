import { parseTask, parseWorkflow } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import { type Json, kindOf } from '../core/json.ts';
import { toJson } from '../core/json-safe.ts';
import { MAX_NAME, MAX_TASKS_PER_CALL } from '../core/limits.ts';
import type { AcceptedRun, NewRun } from '../core/writes.ts';
import { readOptions } from './options.ts';
import type { Outcomes, RunOutcomes } from './outcomes.ts';
import { type PlanParts, planTask, planWorkflow } from './plan.ts';
import type { Writer } from './writer.ts';

export type SubmitParts = PlanParts & {
  readonly writer: Writer;
  readonly outcomes: Outcomes;
  readonly runs: RunOutcomes;
  /** A task with a total timeout was accepted: look again after so many milliseconds. */
  readonly expectDue: (ms: number) => void;
};

export type SubmitOptions = { readonly idempotency_key?: string | undefined };
export type WorkflowOptions = SubmitOptions & { readonly input?: Json | undefined };

const taskOptions = ['idempotency_key'];
const workflowOptions = [...taskOptions, 'input'];

type ManyEntry = SubmitOptions & { readonly task: unknown };

/** Returns after the commit (invariant 1): a kill -9 the next moment loses nothing. */
export async function submitTask(
  parts: SubmitParts,
  task: unknown,
  options: SubmitOptions,
): Promise<AcceptedRun> {
  const [accepted] = await commit(parts, [planTask(parts, parseTask(task), readKey(options, taskOptions))]);
  return accepted as AcceptedRun;
}

/** All of them or none; an error says which one it is about. */
export async function submitMany(
  parts: SubmitParts,
  tasks: readonly ManyEntry[],
): Promise<readonly AcceptedRun[]> {
  requireTasks(tasks);
  if (tasks.length > MAX_TASKS_PER_CALL) {
    throw new GleitzeitError(
      'GLZ1001',
      `${tasks.length} tasks in one call, at most ${MAX_TASKS_PER_CALL} are taken`,
      {
        field: '/tasks',
        hint: 'send them in several calls',
      },
    );
  }
  const runs = tasks.map((entry, index) => at(index, () => planEntry(parts, entry)));
  requireDifferentKeys(runs);
  return commit(parts, runs);
}

function planEntry(parts: SubmitParts, entry: ManyEntry): NewRun {
  const { task, ...options } = entry;
  return planTask(parts, parseTask(task), readKey(options, taskOptions));
}

export async function submitWorkflow(
  parts: SubmitParts,
  workflow: unknown,
  options: WorkflowOptions,
): Promise<AcceptedRun> {
  const idempotency_key = readKey(options, workflowOptions);
  const input = toJson(options.input ?? null, 'GLZ1002', '/input');
  const run = planWorkflow(parts, parseWorkflow(workflow), { idempotency_key, input });
  const [accepted] = await commit(parts, [run]);
  return accepted as AcceptedRun;
}

async function commit(parts: SubmitParts, runs: readonly NewRun[]): Promise<readonly AcceptedRun[]> {
  const accepted = await parts.writer.write({ kind: 'submit', runs });
  for (const run of accepted.runs) {
    if (!run.created) continue;
    if (run.workflow_id !== null) parts.runs.accepted(run.workflow_id);
    for (const [, task_id] of run.tasks) parts.outcomes.accepted(task_id);
  }
  for (const { tasks } of runs) {
    for (const { total_timeout } of tasks) if (total_timeout !== null) parts.expectDue(total_timeout * 1000);
  }
  return accepted.runs;
}

/** A list of whatever was sent; what is wrong with one of its entries is said with its place. */
export function requireTasks<Entry>(found: readonly Entry[]): readonly Entry[] {
  if (Array.isArray(found)) return found;
  const reason = `tasks must be a list, found ${kindOf(found)}`;
  throw new GleitzeitError('GLZ1001', reason, { field: '/tasks', reason });
}

function readKey(options: SubmitOptions, known: readonly string[]): string | null {
  const { idempotency_key } = readOptions(options, known);
  if (idempotency_key === undefined) return null;
  if (typeof idempotency_key === 'string' && idempotency_key !== '' && idempotency_key.length <= MAX_NAME) {
    return idempotency_key;
  }
  throw new GleitzeitError('GLZ1012', `idempotency_key must be a text of 1 to ${MAX_NAME} characters`, {
    field: 'idempotency_key',
    reason: `found ${kindOf(idempotency_key)}`,
  });
}

function requireDifferentKeys(runs: readonly NewRun[]): void {
  const seen = new Set<string>();
  runs.forEach(({ idempotency_key }, index) => {
    if (idempotency_key === null) return;
    if (seen.has(idempotency_key)) {
      throw new GleitzeitError('GLZ1009', `idempotency_key "${idempotency_key}" stands twice in one call`, {
        field: `/tasks/${index}/idempotency_key`,
      });
    }
    seen.add(idempotency_key);
  });
}

/** An error of one task among many, with its place. */
function at<T>(index: number, plan: () => T): T {
  try {
    return plan();
  } catch (thrown) {
    const error = GleitzeitError.from(thrown);
    const { field: inTask = '' } = error.details;
    const field = `/tasks/${index}${inTask === '' || inTask.startsWith('/') ? '' : '/'}${inTask}`;
    throw new GleitzeitError(
      error.code,
      `task ${index}: ${error.message}`,
      { ...error.details, field },
      thrown,
    );
  }
}
