import { canonicalJson } from '../core/canonical.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { toJson } from '../core/json-safe.ts';
import { MAX_REUSED } from '../core/limits.ts';
import { noRun } from '../core/not-there.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { RunRow } from '../core/records.ts';
import { isRunSettled } from '../core/run.ts';
import { maySeal } from '../core/secrets.ts';
import { didYouMean } from '../core/suggest.ts';
import type { AcceptedRun, NewRun, NewTask } from '../core/writes.ts';
import { invalidOption, requireText } from './check-options.ts';
import { inTurns, type Member, membersOf, removed } from './members.ts';
import { checkedText } from './plan.ts';
import { commit, read, type SubmitOptions, type SubmitParts } from './submit.ts';

export type RetryOptions = SubmitOptions & {
  /** Short id of the task to run again, with all that depends on it; without it the first that failed. */
  readonly from?: string | undefined;
  /** In place of the run's input. */
  readonly input?: Json | undefined;
};

export type RetryParts = SubmitParts & { readonly reads: StoreReads };

/**
 * A new run of the same tasks that starts from what an earlier one has finished. A result is reused where the task
 * completed and neither it nor anything that it depends on runs again: what runs again is `from`, whatever did not
 * complete, and all that depends on them. That holds with an edited input as well: tasks before `from` keep the results
 * they had, also where they read the input, and everything from there on sees the new one.
 */
export async function retryRun(
  parts: RetryParts,
  workflow_id: string,
  options: RetryOptions,
): Promise<AcceptedRun> {
  const given = read(options, ['idempotency_key', 'traceparent', 'from', 'input']);
  if (options.from !== undefined) requireText('from', options.from);
  const input = options.input === undefined ? undefined : toJson(options.input, 'GLZ1002', '/input');
  const { run, input: before } = await settledRun(parts.reads, workflow_id);
  if (input !== undefined && maySeal(before)) throw holdsSecrets(workflow_id);
  const members = await membersOf(parts.reads, workflow_id);
  const again = runAgain(members, startOf(members, options.from));
  const reused = await resultsOf(parts.reads, members, again);
  const tasks = planTasks(parts, members, { reused, workflow_id, traceparent: given.traceparent });
  const planned: NewRun = {
    workflow: {
      workflow_id: parts.newId(),
      name: run.name,
      version: run.version,
      input: input === undefined ? before : checkedText(input, '/input'),
      retry_of: workflow_id,
    },
    tasks,
    // By what was asked for, not by what came of it: the same question gets the same answer.
    body_hash:
      given.idempotency_key === null
        ? ''
        : parts.hash(canonicalJson(['retry', workflow_id, options.from ?? null, input ?? null])),
    idempotency_key: given.idempotency_key,
  };
  const [accepted] = await commit(parts, [planned]);
  return accepted as AcceptedRun;
}

/** Services were told them and may repeat them, and of another input nobody would know what is secret in it. */
function holdsSecrets(workflow_id: string): GleitzeitError {
  return new GleitzeitError('GLZ1002', `the run ${workflow_id} cannot be retried with another input`, {
    field: '/input',
    reason: 'its input has secrets, which whoever submitted it named',
    hint: 'retry it without an input, or submit it anew',
  });
}

async function settledRun(
  reads: StoreReads,
  workflow_id: string,
): Promise<{ readonly run: RunRow; readonly input: string }> {
  const found = await reads.run(requireText('workflow_id', workflow_id));
  if (found === null) throw await noSuchRun(reads, workflow_id);
  if (isRunSettled(found.run.status)) return found;
  throw new GleitzeitError('GLZ1011', `the run ${workflow_id} is ${found.run.status} and cannot be retried`, {
    field: 'workflow_id',
    reason: 'a run is retried once it has ended',
    hint: 'wait for it or cancel it first; a single task of it that failed can be retried in its run',
  });
}

async function noSuchRun(reads: StoreReads, workflow_id: string): Promise<GleitzeitError> {
  const error = noRun(workflow_id);
  if ((await reads.task(workflow_id)) === null) return error;
  const hint = 'it is the id of a task: a task is retried by itself';
  return new GleitzeitError(error.code, error.message, { ...error.details, hint });
}

function startOf(members: readonly Member[], from: string | undefined): Member {
  if (from === undefined) {
    const failed =
      members.find(({ task }) => task.status === 'failed') ??
      members.find(({ task }) => task.status === 'cancelled');
    if (failed !== undefined) return failed;
    throw new GleitzeitError('GLZ1011', 'no task of this run failed', {
      field: 'from',
      hint: 'name the task to run again in "from"',
    });
  }
  const found = members.find(({ task }) => task.id === from);
  if (found !== undefined) return found;
  const ids = members.map(({ task }) => task.id);
  throw invalidOption('from', 'is no task of this run', didYouMean(from, ids, 'tasks'));
}

/** The `task_id`s of `from`, of what did not complete, and of all that depends on them. */
function runAgain(members: readonly Member[], from: Member): ReadonlySet<string> {
  const byId = new Map(members.map((member) => [member.task.task_id, member]));
  const next = members.filter((member) => member === from || member.task.status !== 'completed');
  const again = new Set(next.map(({ task }) => task.task_id));
  for (let member = next.pop(); member !== undefined; member = next.pop()) {
    for (const task_id of member.body.dependents) {
      const dependent = byId.get(task_id);
      if (dependent === undefined || again.has(task_id)) continue;
      again.add(task_id);
      next.push(dependent);
    }
  }
  return again;
}

/** By `task_id`. They travel in one commit, so there is an end to how much of them there may be. */
async function resultsOf(
  reads: StoreReads,
  members: readonly Member[],
  again: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const ids = members.map(({ task }) => task.task_id).filter((task_id) => !again.has(task_id));
  let characters = 0;
  const results = await inTurns(ids, async (task_id): Promise<[string, string]> => {
    const { result } = (await reads.result(task_id)) ?? removed(task_id);
    characters += result.length;
    if (characters > MAX_REUSED) throw tooMuch();
    return [task_id, result];
  });
  return new Map(results);
}

type Planning = {
  readonly workflow_id: string;
  readonly reused: ReadonlyMap<string, string>;
  readonly traceparent: string | null;
};

function planTasks(
  parts: RetryParts,
  members: readonly Member[],
  { workflow_id, reused, traceparent }: Planning,
): NewTask[] {
  const newIds = new Map(members.map(({ task }) => [task.task_id, parts.newId()]));
  const idOf = (task_id: string) => newIds.get(task_id) ?? removed(task_id);
  const done = new Set(members.filter(({ task }) => reused.has(task.task_id)).map(({ task }) => task.id));
  return members.map(({ task, body }) => {
    const { traceparent: _, ...spec } = body.spec;
    const result = reused.get(task.task_id);
    return {
      task_id: idOf(task.task_id),
      id: task.id,
      lane: task.lane,
      priority: task.priority,
      on_failure: task.on_failure,
      total_timeout: task.total_timeout,
      spec: traceparent === null ? spec : { ...spec, traceparent },
      params: body.params,
      pending: spec.dependencies.filter((id) => !done.has(id)).length,
      dependents: body.dependents.map(idOf),
      inputs: Object.fromEntries(Object.entries(body.inputs).map(([id, task_id]) => [id, idOf(task_id)])),
      uses_input: body.uses_input,
      ...(result === undefined ? {} : { reused: { workflow_id, task_id: task.task_id, result } }),
    };
  });
}

function tooMuch(): GleitzeitError {
  return new GleitzeitError(
    'GLZ1007',
    `the results to reuse have more than ${MAX_REUSED} characters together`,
    { field: 'from', hint: 'start from an earlier task, so that fewer results are reused' },
  );
}
