import type { ErrorRecord } from '../../core/errors.ts';
import type { AttemptRecord, RunRow, TaskRow } from '../../core/records.ts';
import { onFailureOf, priorityOf, runStatusOf, taskStatusOf } from './codes.ts';

/** A row as the driver hands it over: values in the order of the columns asked for. */
export type Values = readonly unknown[];

/**
 * Every column of a task, in the order `taskRow` reads them. What a result took along with it is read from there; only
 * a completed task has one.
 */
export const TASK_COLUMNS = `t.n, t.task_id, t.workflow_id, t.id, t.lane, t.priority, t.on_failure,
  t.has_dependents, t.total_timeout, t.created_at, t.status, t.pending, t.blocked, t.rank, t.parked, t.owner, t.fence,
  t.suspect, t.attempt_count, t.attempt_base, t.generation, coalesce(t.attempts, r.attempts), t.budget_from, t.due_at,
  t.expires_at, t.settled_at, t.error, coalesce(t.result_hash, r.hash), t.seq`;
export const TASK_TABLES = 'task t LEFT JOIN result r ON r.n = iif(t.status = 7, t.n, NULL)';
/** For tasks that are not completed. */
export const OPEN_TASK_COLUMNS = TASK_COLUMNS.replace(
  'coalesce(t.attempts, r.attempts)',
  't.attempts',
).replace('coalesce(t.result_hash, r.hash)', 't.result_hash');
export const TASK_WIDTH = 29;

/** The name of an engine by its number. */
export type OwnerName = (e: number) => string;

export function taskRow(values: Values, ownerName: OwnerName): TaskRow {
  const task_id = values[1] as string;
  return {
    task_id,
    workflow_id: values[2] as string | null,
    id: (values[3] as string | null) ?? task_id,
    lane: values[4] as string,
    priority: priorityOf(values[5]),
    on_failure: onFailureOf(values[6]),
    has_dependents: values[7] === 1,
    total_timeout: values[8] as number | null,
    created_at: values[9] as number,
    status: taskStatusOf(values[10]),
    pending: values[11] as number,
    blocked: values[12] as number,
    rank: values[13] as number,
    parked: values[14] as string | null,
    owner: values[15] === null ? null : ownerName(values[15] as number),
    fence: values[16] as number,
    suspect: values[17] === 1,
    attempt_count: values[18] as number,
    attempt_base: values[19] as number,
    generation: values[20] as number,
    attempts: attemptsOf(values[21] as string | null),
    budget_from: values[22] as number | null,
    due_at: values[23] as number | null,
    expires_at: values[24] as number | null,
    settled_at: values[25] as number | null,
    error: errorOf(values[26] as string | null),
    result_hash: values[27] as string | null,
    seq: values[28] as number,
  };
}

type AttemptValues = [
  attempt: number,
  started_at: number,
  ended_at: number | null,
  provider: string | null,
  error?: ErrorRecord,
];

const noAttempts: readonly AttemptRecord[] = [];

function attemptsOf(text: string | null): readonly AttemptRecord[] {
  if (text === null) return noAttempts;
  return (JSON.parse(text) as AttemptValues[]).map(([attempt, started_at, ended_at, provider, error]) => ({
    attempt,
    started_at,
    ended_at,
    provider,
    error: error ?? null,
  }));
}

export function attemptsText(attempts: readonly AttemptRecord[]): string | null {
  if (attempts.length === 0) return null;
  return JSON.stringify(
    attempts.map(({ attempt, started_at, ended_at, provider, error }) =>
      error === null
        ? [attempt, started_at, ended_at, provider]
        : [attempt, started_at, ended_at, provider, error],
    ),
  );
}

function errorOf(text: string | null): ErrorRecord | null {
  return text === null ? null : (JSON.parse(text) as ErrorRecord);
}

export function errorText(error: ErrorRecord | null): string | null {
  return error === null ? null : JSON.stringify(error);
}

export const RUN_COLUMNS = `n, workflow_id, name, version, status, total, open, failed, seq, created_at, settled_at,
  body_hash, input_hash`;

export function runRow(values: Values): RunRow {
  return {
    workflow_id: values[1] as string,
    name: values[2] as string,
    version: values[3] as string | null,
    status: runStatusOf(values[4]),
    total: values[5] as number,
    open: values[6] as number,
    failed: values[7] as number,
    seq: values[8] as number,
    created_at: values[9] as number,
    settled_at: values[10] as number | null,
    body_hash: values[11] as string,
    input_hash: values[12] as string,
  };
}
