import { calledProvider } from '../away.ts';
import type { Ledger } from '../ledger.ts';
import { KEPT_ATTEMPTS } from '../limits.ts';
import { withNext } from '../outside.ts';
import { awayProvider } from '../parked.ts';
import { type AttemptRecord, type TaskRow, withProvider } from '../records.ts';
import { follow, type TaskStatus } from '../task.ts';
import type { AnswerTo, AttemptStart, Lease, WriteOf } from '../writes.ts';
import { held } from './lease.ts';

export function start(ledger: Ledger, write: WriteOf<'start'>): AnswerTo<'start'> {
  const task = held(ledger, write);
  if (task === null) return { started: false };
  // The same start again: the answer to the first was lost on its way.
  if (task.status !== 'queued') return { started: task.attempt_count === write.start.attempt };
  begin(ledger, task, write.start);
  return { started: true };
}

/** The task, if whoever writes still holds it in this attempt; the start of it may still be on its way. */
export function runningBy(ledger: Ledger, write: Lease & { start: AttemptStart }): TaskRow | null {
  const task = held(ledger, write);
  const { start } = write;
  const attempt = task?.status === 'queued' ? task.attempt_count + 1 : task?.attempt_count;
  if (task === null || attempt !== start.attempt) return null;
  return task.status === 'queued' ? begin(ledger, task, start) : task;
}

/** Of a call that is away: whoever says anything of it has begun it. */
export function begun(ledger: Ledger, task: TaskRow, ago_ms = 0): TaskRow {
  return task.status === 'routed' ? begin(ledger, task, { provider: calledProvider(task), ago_ms }) : task;
}

/** Attempts are counted when they start, so that a task that kills its engine each time is stopped at last. */
export function begin(ledger: Ledger, task: TaskRow, { provider, ago_ms }: Begun): TaskRow {
  const attempt = task.attempt_count + 1;
  const started_at = Math.max(task.created_at, Math.round(ledger.now - ago_ms));
  const entry: AttemptRecord = { attempt, started_at, ended_at: null, provider, error: null };
  const row: TaskRow = {
    ...task,
    status: follow('start', task.status === 'routed' ? 'routed' : route(task.status)),
    parked: null,
    attempt_count: attempt,
    attempts: withNext(task.attempts.slice(1 - KEPT_ATTEMPTS), entry),
    budget_from: task.budget_from ?? started_at,
  };
  if (task.status === 'queued') ledger.tell(row, 'task:validated', {});
  if (task.status === 'queued' || provider !== awayProvider(task.parked))
    ledger.tell(row, 'task:routed', { provider });
  ledger.tell(row, 'task:started', { attempt, started_at });
  ledger.putTask(row);
  return row;
}

type Begun = Pick<AttemptStart, 'provider' | 'ago_ms'>;

export function route(status: TaskStatus): TaskStatus {
  return follow('route', follow('validate', status));
}

/** Where another provider was asked too and answered first, the attempt goes by its name. */
export function answeredBy(ledger: Ledger, task: TaskRow, provider: string | null): TaskRow {
  const attempts = withProvider(task.attempts, provider);
  if (attempts === task.attempts) return task;
  const row: TaskRow = { ...task, attempts };
  ledger.tell(row, 'task:routed', { provider });
  return row;
}
