import type { DatabaseSync } from 'node:sqlite';
import type { TaskRow } from '../../core/records.ts';
import { taskStatusCodes } from './codes.ts';
import { type Insert, prepare, prepareInsert, type Query, type Value } from './connection.ts';
import type { NumberedLog } from './log.ts';
import type { KnownTask, Memory } from './memory.ts';
import { attemptsText, errorText, flagsOf } from './rows.ts';

export const taskSql = {
  insert: `INSERT INTO task (n, task_id, workflow_id, id, lane, flags, total_timeout, created_at, body_cursor, status,
      pending, rank, place, parked, owner, fence, due_at, expires_at, seq, slack)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, zeroblob(24))`,
  /** All that can change. The two after it are for the steps that most tasks take, and leave alone what stays. */
  update: `UPDATE task SET flags = ?, result_cursor = coalesce(?, result_cursor), status = ?, pending = ?, blocked = ?,
      rank = ?, place = ?, parked = ?, owner = ?, fence = ?, attempt_count = ?, attempt_base = ?, generation = ?,
      attempts = ?, budget_from = ?, due_at = ?, expires_at = ?, settled_at = ?, error = ?, seq = ?, slack = NULL
    WHERE n = ?`,
  start: 'UPDATE task SET status = 4, attempt_count = ?, attempts = ?, budget_from = ?, seq = ? WHERE n = ?',
  complete: `UPDATE task SET status = 7, owner = NULL, result_cursor = ?, flags = ?, attempt_count = ?, attempts = NULL,
      budget_from = ?, settled_at = ?, seq = ?, slack = NULL
    WHERE n = ?`,
} as const;

/** Writes the rows of tasks. */
export class TaskWriter {
  readonly #memory: Memory;
  readonly #insert: Insert;
  readonly #queries: Readonly<Record<keyof typeof taskSql, Query>>;

  constructor(db: DatabaseSync, memory: Memory) {
    this.#memory = memory;
    this.#insert = prepareInsert(db, taskSql.insert);
    const entries = Object.entries(taskSql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof taskSql, Query>>;
  }

  /** The log tells which of its rows introduces each of them, and which one holds a result that it came with. */
  insert(tasks: readonly KnownTask[], { bodies, results }: Pick<NumberedLog, 'bodies' | 'results'>): void {
    this.#insert(tasks.map((task) => this.#newValues(task, bodies.get(task.row.task_id) ?? null)));
    for (const { n, row } of tasks)
      if (!isFresh(row)) this.#updateAll(n, row, results.get(row.task_id) ?? null);
  }

  /** `result_cursor`: the row of the log that completes the task in this commit, and holds its attempts. */
  update({ n, row: old }: KnownTask, row: TaskRow, result_cursor: number | undefined): void {
    const usual = old.owner !== null && onlyAttemptMoved(old, row);
    if (usual && result_cursor !== undefined) {
      const { attempt_count, budget_from, settled_at, seq } = row;
      this.#queries.complete.run(result_cursor, flagsOf(row), attempt_count, budget_from, settled_at, seq, n);
    } else if (
      usual &&
      row.status === 'executing' &&
      row.owner === old.owner &&
      row.suspect === old.suspect
    ) {
      const { attempt_count, attempts, budget_from, seq } = row;
      this.#queries.start.run(attempt_count, attemptsText(attempts), budget_from, seq, n);
    } else {
      const elsewhere = result_cursor !== undefined || old.status === 'completed';
      this.#updateAll(n, elsewhere ? { ...row, attempts: [] } : row, result_cursor ?? null);
    }
  }

  #updateAll(n: number, row: TaskRow, result_cursor: number | null): void {
    this.#queries.update.run(
      flagsOf(row),
      result_cursor,
      taskStatusCodes[row.status],
      row.pending,
      row.blocked,
      row.rank,
      this.#placeOf(row),
      row.parked,
      this.#ownerOf(row),
      row.fence,
      row.attempt_count,
      row.attempt_base,
      row.generation,
      attemptsText(row.attempts),
      row.budget_from,
      row.due_at,
      row.expires_at,
      row.settled_at,
      errorText(row.error),
      row.seq,
      n,
    );
  }

  #newValues({ n, row }: KnownTask, body_cursor: number | null): Value[] {
    return [
      n,
      row.task_id,
      row.workflow_id,
      row.id === row.task_id ? null : row.id,
      row.lane,
      flagsOf(row),
      row.total_timeout,
      row.created_at,
      body_cursor,
      taskStatusCodes[row.status],
      row.pending,
      row.rank,
      this.#placeOf(row),
      row.parked,
      this.#ownerOf(row),
      row.fence,
      row.due_at,
      row.expires_at,
      row.seq,
    ];
  }

  #ownerOf({ owner }: TaskRow): number | null {
    return owner === null ? null : this.#memory.engines.numberOf(owner);
  }

  /** Where a queued task that nobody holds stands. */
  #placeOf(row: TaskRow): number | null {
    if (row.status !== 'queued' || row.owner !== null) return null;
    if (row.parked !== null) return 1;
    this.#memory.drained.delete(row.lane);
    return 0;
  }
}

/** Whether nothing changed but what a first attempt changes on its way from the queue to its end. */
function onlyAttemptMoved(old: TaskRow, row: TaskRow): boolean {
  return (
    old.pending === row.pending &&
    old.blocked === row.blocked &&
    old.rank === row.rank &&
    old.parked === row.parked &&
    old.fence === row.fence &&
    old.attempt_base === row.attempt_base &&
    old.generation === row.generation &&
    old.due_at === row.due_at &&
    old.expires_at === row.expires_at &&
    old.error === row.error
  );
}

/** Whether an inserted row says all there is to say; a task may settle in the commit that accepts it. */
export function isFresh(row: TaskRow): boolean {
  return (
    row.settled_at === null &&
    row.blocked === 0 &&
    row.attempt_count === 0 &&
    row.attempt_base === 0 &&
    row.generation === 0 &&
    row.error === null
  );
}
