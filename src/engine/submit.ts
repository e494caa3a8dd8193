import { parseTask, parseWorkflow } from '../core/definition.ts';
import { GleitzeitError } from '../core/errors.ts';
import { nameTrouble } from '../core/fields.ts';
import { isObject, type Json, kindOf, own } from '../core/json.ts';
import { toJson } from '../core/json-safe.ts';
import { MAX_TASKS_PER_CALL } from '../core/limits.ts';
import type { KnownAgents } from '../core/ports/agents.ts';
import type { Observer } from '../core/ports/observer.ts';
import { parseHiding } from '../core/secret-problems.ts';
import { readTraceparent } from '../core/trace-context.ts';
import type { AcceptedRun, NewRun } from '../core/writes.ts';
import { readOptions } from './check-options.ts';
import type { Outcomes, RunOutcomes } from './outcomes.ts';
import { planEach } from './place.ts';
import { type PlanParts, planTask, planWorkflow, type TaskOptions } from './plan.ts';
import { agentsIn, seekAgents } from './task-agents.ts';
import type { Writer } from './writer.ts';

export type SubmitParts = PlanParts & {
  readonly agents?: KnownAgents | undefined;
  readonly writer: Writer;
  readonly outcomes: Outcomes;
  readonly runs: RunOutcomes;
  readonly observer: Observer;
  /** A task with a total timeout was accepted: look again after so many milliseconds. */
  readonly expectDue: (ms: number) => void;
};

export type SubmitOptions = {
  readonly idempotency_key?: string | undefined;
  /** W3C trace context of whoever submits; what is none is dropped. Not part of what makes two submissions the same. */
  readonly traceparent?: string | undefined;
};
export type WorkflowOptions = SubmitOptions & {
  readonly input?: Json | undefined;
  /** JSON pointers into the input: what they lead to is sealed before it is stored, as fields marked `x-secret` are. */
  readonly secret_input?: readonly string[] | undefined;
};
/** What other parts of this program may say of a run besides. No face hands it on, and nothing of it is checked. */
export type InsideRun = {
  /** What makes it the same as another under its key or id, instead of its definition and input. */
  readonly body_mark?: string;
};
/** The same of a task by itself. */
export type InsideTask = InsideRun & {
  /** JSON pointers into the params: what they lead to is sealed before it is stored, as fields marked `x-secret` are. */
  readonly secret_params?: readonly string[];
  /** What its id begins with, so that whoever submits it knows its own tasks. */
  readonly id_prefix?: string;
};
type Given<Options, Inside> = { readonly options: Options; readonly inside: Inside };

const taskOptions = ['idempotency_key', 'traceparent'];
const workflowOptions = [...taskOptions, 'input', 'secret_input'];

type ManyEntry = SubmitOptions & { readonly task: unknown };

/** Returns after the commit (invariant 1): a kill -9 the next moment loses nothing. */
export async function submitTask(
  parts: SubmitParts,
  task: unknown,
  { options, inside }: Given<SubmitOptions, InsideTask>,
): Promise<AcceptedRun> {
  const known = read(options, taskOptions);
  const names = agentsIn([task]);
  const planning = names.length === 0 ? parts : await knowing(parts, names);
  const planned = planTask(planning, parseHiding(parseTask, task, parts.schemas), {
    ...known,
    ...inside,
  });
  const [accepted] = await commit(parts, [planned]);
  return accepted as AcceptedRun;
}

/** All of them or none; an error says which ones it is about. */
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
  const names = agentsIn(tasks.map((entry) => Object(entry).task));
  const planning = names.length === 0 ? parts : await knowing(parts, names);
  const runs = planEach(tasks, (entry) => planEntry(planning, entry));
  requireDifferentKeys(runs);
  return commit(parts, runs);
}

function planEntry(parts: PlanParts, entry: ManyEntry): NewRun {
  const { task, ...options } = entry;
  return planTask(parts, parseHiding(parseTask, task, parts.schemas), read(options, taskOptions));
}

export async function submitWorkflow(
  parts: SubmitParts,
  workflow: unknown,
  { options, inside }: Given<WorkflowOptions, InsideRun>,
): Promise<AcceptedRun> {
  const given = read(options, workflowOptions);
  const input = toJson(options.input ?? null, 'GLZ1002', '/input');
  const names = agentsOf(workflow);
  const planning = names.length === 0 ? parts : await knowing(parts, names);
  const definition = parseHiding(parseWorkflow, workflow, parts.schemas);
  const { secret_input = [] } = options;
  const planned = planWorkflow(planning, definition, { ...given, input, secret_input, ...inside });
  const [accepted] = await commit(parts, [planned]);
  return accepted as AcceptedRun;
}

export function agentsOf(workflow: unknown): readonly string[] {
  return isObject(workflow) ? agentsIn(own(workflow, 'tasks')) : [];
}

/** With the agents of these names, wherever they are known. */
export async function knowing(parts: SubmitParts, names: readonly string[]): Promise<PlanParts> {
  const { agents } = parts;
  return agents === undefined ? parts : { ...parts, agents: await seekAgents(agents, names) };
}

export async function commit(parts: SubmitParts, runs: readonly NewRun[]): Promise<readonly AcceptedRun[]> {
  const accepted = await parts.writer.write({ kind: 'submit', runs });
  const isNew = (_: unknown, index: number) => accepted.runs[index]?.created === true;
  parts.observer.submitted(runs.every(isNew) ? runs : runs.filter(isNew));
  for (const [index, { workflow, tasks }] of runs.entries()) {
    const { created } = accepted.runs[index] as AcceptedRun;
    if (created && workflow !== null) parts.runs.accepted(workflow.workflow_id);
    for (const { task_id, total_timeout, reused } of tasks) {
      // What is reused has settled already.
      if (created && reused === undefined) parts.outcomes.accepted(task_id);
      if (total_timeout !== null) parts.expectDue(total_timeout * 1000);
    }
  }
  return accepted.runs;
}

/** A list of whatever was sent; what is wrong with one of its entries is said with its place. */
export function requireTasks<Entry>(found: readonly Entry[]): readonly Entry[] {
  if (Array.isArray(found)) return found;
  const reason = `tasks must be a list, found ${kindOf(found)}`;
  throw new GleitzeitError('GLZ1001', reason, { field: '/tasks', reason });
}

export function read(options: SubmitOptions, known: readonly string[]): TaskOptions {
  const { idempotency_key, traceparent } = readOptions(options, known);
  return { idempotency_key: readKey(idempotency_key), traceparent: readTraceparent(traceparent) };
}

function readKey(idempotency_key: unknown): string | null {
  if (idempotency_key === undefined) return null;
  const reason = nameTrouble(idempotency_key);
  if (reason === undefined) return idempotency_key as string;
  throw new GleitzeitError('GLZ1012', `idempotency_key ${reason}`, { field: 'idempotency_key', reason });
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
