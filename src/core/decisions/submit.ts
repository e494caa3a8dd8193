import { queuedFields, unqueuedFields } from '../advance.ts';
import type { TaskIntroduction } from '../events.ts';
import type { Ledger } from '../ledger.ts';
import { type RunRow, runKeyOf, type TaskBody, type TaskRow } from '../records.ts';
import { follow } from '../task.ts';
import type {
  AcceptedRun,
  AnswerTo,
  NewRun,
  NewTask,
  NewWorkflow,
  ReusedResult,
  WriteOf,
} from '../writes.ts';
import { findEarlier, namesOf, requireAgreement } from './resubmit.ts';

/** All of it or nothing: every run is looked at before the first is put down. */
export function submit(ledger: Ledger, write: WriteOf<'submit'>): AnswerTo<'submit'> {
  const known = write.runs.map((run) => findEarlier(ledger, run));
  requireAgreement(write.runs);
  const accepted = new Map<string, AcceptedRun>();
  return {
    runs: write.runs.map((run, index) => {
      const earlier = known[index];
      return earlier ? answeredAgain(ledger, run, earlier) : acceptOnce(ledger, run, accepted);
    }),
  };
}

/** A key that first comes with a repetition is used up by it all the same. */
function answeredAgain(ledger: Ledger, run: NewRun, earlier: AcceptedRun): AcceptedRun {
  const { idempotency_key, body_hash } = run;
  if (idempotency_key !== null && earlier.workflow_id !== null && ledger.key(idempotency_key) === null) {
    ledger.addKey({ key: idempotency_key, run_key: earlier.workflow_id, body_hash });
  }
  return earlier;
}

function acceptOnce(ledger: Ledger, run: NewRun, accepted: Map<string, AcceptedRun>): AcceptedRun {
  const names = namesOf(run).map(({ label }) => label);
  const earlier = names.map((name) => accepted.get(name)).find((found) => found !== undefined);
  if (earlier !== undefined) return { ...earlier, created: false };
  const answer = accept(ledger, run);
  for (const name of names) accepted.set(name, answer);
  return answer;
}

function accept(ledger: Ledger, run: NewRun): AcceptedRun {
  const row = run.workflow === null ? null : startRun(ledger, run, run.workflow);
  const rows = run.tasks.map((task) => addTask(ledger, task, row));
  const run_key = row?.workflow_id ?? rows[0]?.task_id ?? '';
  if (run.idempotency_key !== null) {
    ledger.addKey({ key: run.idempotency_key, run_key, body_hash: run.body_hash });
  }
  return {
    workflow_id: row?.workflow_id ?? null,
    tasks: rows.map((task) => [task.id, task.task_id]),
    status: row?.status ?? rows[0]?.status ?? 'queued',
    created: true,
  };
}

function startRun(ledger: Ledger, run: NewRun, workflow: NewWorkflow): RunRow {
  const { workflow_id, name, version, input, retry_of } = workflow;
  const total = run.tasks.length;
  const row: RunRow = {
    workflow_id,
    name,
    version,
    status: 'running',
    total,
    open: total - run.tasks.filter(({ reused }) => reused !== undefined).length,
    failed: 0,
    seq: 0,
    created_at: ledger.now,
    settled_at: null,
    body_hash: run.body_hash,
    input_hash: ledger.hash(input),
    retry_of: retry_of ?? null,
  };
  ledger.addRun(row, input);
  const told = { name, version, total, input_hash: row.input_hash };
  ledger.tellRun(row, 'workflow:started', retry_of === undefined ? told : { ...told, retry_of });
  return row;
}

function addTask(ledger: Ledger, task: NewTask, run: RunRow | null): TaskRow {
  const row = newRow(task, run, ledger.now);
  const body = newBody(task, ledger.hash(task.params));
  ledger.addTask(row, body);
  const introduction = introduce(row, body);
  if (task.pending > 0) ledger.tell(row, 'task:waiting', { reason: 'submitted', task: introduction });
  else ledger.tell(row, 'task:queued', { reason: 'submitted', task: introduction });
  return task.reused === undefined ? row : reuse(ledger, row, task.reused);
}

/** Nothing follows from it: whoever depends on the task does not wait for it. */
function reuse(ledger: Ledger, task: TaskRow, { result, ...from }: ReusedResult): TaskRow {
  const result_hash = ledger.hash(result);
  const row: TaskRow = {
    ...task,
    ...unqueuedFields,
    status: follow('reuse', task.status),
    settled_at: ledger.now,
    result_hash,
  };
  ledger.tell(row, 'task:reused', { from, result_hash });
  ledger.putTask(row);
  ledger.putResult({
    task_id: row.task_id,
    run_key: runKeyOf(row),
    result,
    hash: result_hash,
    stored_at: ledger.now,
  });
  return row;
}

/** A task as it is when it has just been accepted. */
export function newRow(
  task: NewTask,
  run: Pick<RunRow, 'workflow_id' | 'status'> | null,
  now: number,
): TaskRow {
  const waits = task.pending > 0;
  return {
    task_id: task.task_id,
    workflow_id: run?.workflow_id ?? null,
    id: task.id,
    lane: task.lane,
    priority: task.priority,
    on_failure: task.on_failure,
    has_dependents: task.dependents.length > 0,
    total_timeout: task.total_timeout,
    created_at: now,
    status: follow(waits ? 'wait' : 'enqueue', 'new'),
    pending: task.pending,
    blocked: 0,
    ...(waits ? unqueuedFields : queuedFields(task, { run, now })),
    owner: null,
    fence: 0,
    suspect: false,
    attempt_count: 0,
    attempt_base: 0,
    generation: 0,
    attempts: [],
    budget_from: null,
    settled_at: null,
    error: null,
    result_hash: null,
    seq: 0,
  };
}

export function newBody(task: NewTask, params_hash: string): TaskBody {
  const { task_id, spec, params, dependents, inputs, uses_input } = task;
  return { task_id, spec, params, params_hash, dependents, inputs, uses_input };
}

/** Told from what never changes, so that a store may tell it again instead of keeping it twice. */
export function introduce(
  row: Pick<TaskRow, 'id' | 'priority'>,
  body: Pick<TaskBody, 'spec' | 'params_hash'>,
): TaskIntroduction {
  const { name, protocol, method, dependencies, agent } = body.spec;
  return {
    id: row.id,
    name,
    protocol,
    method,
    priority: row.priority,
    dependencies,
    params_hash: body.params_hash,
    ...(agent === undefined ? undefined : { agent }),
  };
}
