import type { ErrorRecord } from '../../core/errors.ts';
import type { AttemptRecord, ProgressRecord, RunRow, TaskRow } from '../../core/records.ts';
import {
  onFailureCodes,
  onFailureOf,
  priorityCodes,
  priorityOf,
  runStatusOf,
  taskStatusOf,
} from './codes.ts';

/** A row as the driver hands it over: values in the order of the columns asked for. */
export type Values = readonly unknown[];

/**
 * Every column of a task, in the order `taskRow` reads them. The last two come from the row of the log that completed
 * it, where there is one.
 */
const columns = `t.n, t.task_id, t.workflow_id, t.id, t.lane, t.flags, t.total_timeout, t.created_at, t.status,
  t.pending, t.blocked, t.rank, t.parked, t.owner, t.fence, t.attempt_count, t.attempt_base, t.generation,
  t.budget_from, t.due_at, t.expires_at, t.settled_at, t.error, t.seq`;
export const TASK_COLUMNS = `${columns}, coalesce(t.attempts, r.attempts), r.hash`;
export const TASK_TABLES = 'task t LEFT JOIN event r ON r.cursor = t.result_cursor';
/** For tasks that are not completed. */
export const OPEN_TASK_COLUMNS = `${columns}, t.attempts, NULL`;
export const TASK_WIDTH = 26;

/** The name of an engine by its number. */
export type OwnerName = (e: number) => string;

export function taskRow(values: Values, ownerName: OwnerName): TaskRow {
  const task_id = values[1] as string;
  const flags = values[5] as number;
  return {
    task_id,
    workflow_id: values[2] as string | null,
    id: (values[3] as string | null) ?? task_id,
    lane: values[4] as string,
    priority: priorityOf(flags & 3),
    on_failure: onFailureOf((flags >> 2) & 1),
    has_dependents: (flags & 8) !== 0,
    total_timeout: values[6] as number | null,
    created_at: values[7] as number,
    status: taskStatusOf(values[8]),
    pending: values[9] as number,
    blocked: values[10] as number,
    rank: values[11] as number,
    parked: values[12] as string | null,
    owner: values[13] === null ? null : ownerName(values[13] as number),
    fence: values[14] as number,
    suspect: (flags & 16) !== 0,
    attempt_count: values[15] as number,
    attempt_base: values[16] as number,
    generation: values[17] as number,
    attempts: attemptsOf(values[24] as string | null),
    budget_from: values[18] as number | null,
    due_at: values[19] as number | null,
    expires_at: values[20] as number | null,
    settled_at: values[21] as number | null,
    error: errorOf(values[22] as string | null),
    result_hash: values[25] as string | null,
    seq: values[23] as number,
  };
}

export function flagsOf(row: TaskRow): number {
  return (
    priorityCodes[row.priority] |
    (onFailureCodes[row.on_failure] << 2) |
    (row.has_dependents ? 8 : 0) |
    (row.suspect ? 16 : 0)
  );
}

type AttemptValues = [
  attempt: number,
  started_at: number,
  ended_at: number | null,
  provider: string | null,
  error?: ErrorRecord | null,
  progress?: ProgressRecord | null,
  outside?: AttemptRecord['outside'],
];

const noAttempts: readonly AttemptRecord[] = [];

function attemptsOf(text: string | null): readonly AttemptRecord[] {
  if (text === null) return noAttempts;
  return (JSON.parse(text) as AttemptValues[]).map((values) => {
    const [attempt, started_at, ended_at, provider, error = null, progress, outside] = values;
    const usual = { attempt, started_at, ended_at, provider, error };
    if (progress === undefined) return usual;
    return { ...usual, ...(progress && { progress }), ...(outside && { outside }) };
  });
}

export function attemptsText(attempts: readonly AttemptRecord[]): string | null {
  if (attempts.length === 0) return null;
  return JSON.stringify(
    attempts.map(({ attempt, started_at, ended_at, provider, error, progress, outside }): AttemptValues => {
      if (outside !== undefined)
        return [attempt, started_at, ended_at, provider, error, progress ?? null, outside];
      if (progress !== undefined) return [attempt, started_at, ended_at, provider, error, progress];
      return error === null
        ? [attempt, started_at, ended_at, provider]
        : [attempt, started_at, ended_at, provider, error];
    }),
  );
}

function errorOf(text: string | null): ErrorRecord | null {
  return text === null ? null : (JSON.parse(text) as ErrorRecord);
}

export function errorText(error: ErrorRecord | null): string | null {
  return error === null ? null : JSON.stringify(error);
}

export const RUN_COLUMNS = `n, workflow_id, name, version, status, total, open, failed, seq, created_at, settled_at,
  body_hash, input_hash, retry_of`;

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
    retry_of: values[13] as string | null,
  };
}
