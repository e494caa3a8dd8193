import type { Answer } from '../answer.ts';
import { calledProvider } from '../away.ts';
import { type ErrorDetails, type ErrorRecord, errorRecord } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { MAX_WAIT_MS } from '../limits.ts';
import { runKeyOf, type TaskRow } from '../records.ts';
import { decideRetry, defaultRetry, waitFor } from '../retry.ts';
import { follow } from '../task.ts';
import type { AnswerTo, AttemptStart, WriteOf } from '../writes.ts';
import { answeredBy, begin } from './begin.ts';
import { cutAttempt, endAttempt, requeue } from './end-attempt.ts';
import { held, parkedNow } from './lease.ts';
import { waitOutside } from './outside-wait.ts';
import { dependentsOf, propagate } from './propagate.ts';

/** The outcome of an attempt, recorded once (invariant 2), and all that follows from it. */
export function settle(ledger: Ledger, write: WriteOf<'settle'>): AnswerTo<'settle'> {
  const task = held(ledger, write);
  if (task === null) return refused(ledger.task(write.task_id));
  const { start, answer, chance } = write;
  return record(ledger, start === null ? task : startedBy(ledger, task, start), { answer, chance });
}

export function refused(task: TaskRow | null): AnswerTo<'settle'> {
  return { recorded: false, status: task?.status ?? null, due_in_ms: null };
}

type Answered = { readonly answer: Answer; readonly chance: number };

export function record(ledger: Ledger, started: TaskRow, { answer, chance }: Answered): AnswerTo<'settle'> {
  if (answer.word === 'done') return recorded(ledger, complete(ledger, started, answer.result));
  if (answer.word === 'again') return recorded(ledger, comeAgain(ledger, started, answer));
  if (answer.word === 'withdrawn') return recorded(ledger, withdraw(ledger, started));
  if (answer.word === 'outside') return recorded(ledger, waitOutside(ledger, started, answer.wait));
  return recorded(ledger, failAttempt(ledger, started, { error: answer.error, chance }));
}

function startedBy(ledger: Ledger, task: TaskRow, start: AttemptStart): TaskRow {
  return task.status === 'queued' ? begin(ledger, task, start) : answeredBy(ledger, task, start.provider);
}

function recorded(ledger: Ledger, task: TaskRow): AnswerTo<'settle'> {
  return { recorded: true, status: task.status, due_in_ms: dueIn(ledger, task) };
}

/** Until its retry, or until the first total timeout runs out of what it brought into the queue. */
function dueIn(ledger: Ledger, task: TaskRow): number | null {
  let due = task.due_at;
  for (const { status, due_at } of dependentsOf(ledger, task)) {
    if (status === 'queued' && due_at !== null) due = Math.min(due ?? due_at, due_at);
  }
  return due === null ? null : due - ledger.now;
}

function complete(ledger: Ledger, task: TaskRow, result: string): TaskRow {
  const result_hash = ledger.hash(result);
  const row: TaskRow = {
    ...endAttempt(ledger, task, null),
    status: follow('complete', task.status),
    settled_at: ledger.now,
    error: null,
    result_hash,
  };
  ledger.tell(row, 'task:completed', { attempt: row.attempt_count, result_hash });
  ledger.putTask(row);
  ledger.putResult({
    task_id: row.task_id,
    run_key: runKeyOf(row),
    result,
    hash: result_hash,
    stored_at: ledger.now,
  });
  propagate(ledger, row);
  return row;
}

/** The attempt does not count against `max_attempts`; only the total timeout bounds how often this goes on. */
function comeAgain(ledger: Ledger, task: TaskRow, ask: { after_ms: number; reason: string }): TaskRow {
  const retry_after_ms = Math.min(MAX_WAIT_MS, ask.after_ms);
  const provider = calledProvider(task);
  const attempt = task.attempt_count;
  const called = provider === null ? {} : { provider, attempt };
  const error = errorRecord('GLZ2004', ask.reason, { retry_after_ms, ...called });
  const at = ledger.now + waitFor(ask.after_ms);
  return retryAt(ledger, task, { error, at, counts: false });
}

function withdraw(ledger: Ledger, task: TaskRow): TaskRow {
  if (task.status === 'executing') return requeue(ledger, task, { counts: false });
  const back: TaskRow = { ...task, owner: null, parked: parkedNow(ledger, task) };
  ledger.putTask(back);
  return back;
}

export function failAttempt(
  ledger: Ledger,
  task: TaskRow,
  end: { error: ErrorRecord; chance: number },
): TaskRow {
  // What fails before its call was made (a reference that leads nowhere) would fail again in the same way.
  if (task.status !== 'executing') return fail(ledger, task, end.error);
  const decision = decideRetry(retryConfigOf(ledger, task), {
    attempt: task.attempt_count - task.attempt_base,
    first_started_at: task.budget_from ?? ledger.now,
    now: ledger.now,
    ...end,
  });
  if (!decision.retry) return fail(ledger, task, end.error);
  return retryAt(ledger, task, { error: end.error, at: decision.at, counts: decision.counts });
}

export function retryConfigOf(ledger: Ledger, task: TaskRow) {
  return ledger.body(task.task_id)?.spec.retry_config ?? defaultRetry;
}

type NextTry = { readonly error: ErrorRecord; readonly at: number; readonly counts: boolean };

function retryAt(ledger: Ledger, task: TaskRow, { error, at, counts }: NextTry): TaskRow {
  if (task.expires_at !== null && at >= task.expires_at) {
    return fail(ledger, task, outOfTime(task.total_timeout, error), error);
  }
  const row: TaskRow = {
    ...(counts ? endAttempt : cutAttempt)(ledger, task, error),
    status: follow('retry', task.status),
    attempt_base: task.attempt_base + (counts ? 0 : 1),
    due_at: at,
    error,
  };
  ledger.tell(row, 'task:retrying', { attempt: row.attempt_count, due_at: at, error, counts });
  ledger.putTask(row);
  return row;
}

/** What a task fails for that has no time left for another try. `waited`: what for, where it was queued. */
export function outOfTime(
  total_timeout: number | null,
  last: ErrorRecord | null,
  waited: string | null = null,
): ErrorRecord {
  const reasons = [
    last === null ? null : `last error: ${last.message}`,
    waited === null ? null : `it was waiting for ${waited}`,
  ].filter((reason) => reason !== null);
  return errorRecord('GLZ2003', `the task did not finish within its total timeout of ${total_timeout} s`, {
    field: 'total_timeout',
    ...(reasons.length > 0 && { reason: reasons.join('; ') }),
    ...(last !== null && whose(last)),
  });
}

/** Whom the attempt called that ended with the error, where it came to a call. */
function whose({ data: { provider, attempt } }: ErrorRecord): ErrorDetails {
  return provider === undefined || attempt === undefined ? {} : { provider, attempt };
}

/** The last word on a task that did not succeed; its attempt may have ended with another. */
export function fail(ledger: Ledger, task: TaskRow, error: ErrorRecord, attempt_error = error): TaskRow {
  const row: TaskRow = {
    ...endAttempt(ledger, task, attempt_error),
    status: follow('fail', task.status),
    settled_at: ledger.now,
    error,
  };
  const told = { attempt: row.attempt_count, error };
  ledger.tell(row, 'task:failed', attempt_error === error ? told : { ...told, attempt_error });
  ledger.putTask(row);
  propagate(ledger, row);
  return row;
}
