import type { DatabaseSync } from 'node:sqlite';
import { runStatusOf, taskStatusOf } from './codes.ts';
import { prepare } from './connection.ts';
import { type Memory, move } from './memory.ts';

export const pruneSql = {
  run: 'SELECT n FROM run WHERE workflow_id = ?',
  tasksOfRun: 'SELECT n FROM task WHERE workflow_id = ?',
  loneTask: 'SELECT n, body_cursor, result_cursor FROM task WHERE task_id = ? AND workflow_id IS NULL',
  task: 'DELETE FROM task WHERE n = ? RETURNING task_id, status',
  runRow: 'DELETE FROM run WHERE n = ? RETURNING status',
  payload: 'DELETE FROM payload WHERE run_n = ?',
  event: 'DELETE FROM event WHERE cursor = ?',
  eventsOfTask: 'DELETE FROM event WHERE task_n = ? AND hash IS NULL',
  eventsOfRun: 'DELETE FROM event WHERE run_n = ?',
  key: 'DELETE FROM idempotency WHERE run_key = ?',
} as const;

export type Prune = (run_key: string) => void;

/** Removes every trace of a run or a lone task. */
export function pruner(db: DatabaseSync, memory: Memory): Prune {
  const entries = Object.entries(pruneSql).map(([name, sql]) => [name, prepare(db, sql)]);
  const queries = Object.fromEntries(entries) as Record<keyof typeof pruneSql, ReturnType<typeof prepare>>;

  function removeTask(n: number): void {
    const values = queries.task.first(n);
    if (values === undefined) return;
    memory.held.delete(values[0] as string);
    memory.waiting.delete(values[0] as string);
    move(memory.taskTally, taskStatusOf(values[1]), null);
  }

  function removeRun(workflow_id: string, n: number): void {
    memory.runs.delete(workflow_id);
    for (const [task] of queries.tasksOfRun.all(workflow_id)) removeTask(task as number);
    move(memory.runTally, runStatusOf(queries.runRow.first(n)?.[0]), null);
    queries.eventsOfRun.run(n);
    queries.payload.run(n);
  }

  function removeLone(n: number, rows: readonly (number | null)[]): void {
    removeTask(n);
    for (const cursor of rows) queries.event.run(cursor);
    queries.eventsOfTask.run(n);
    queries.payload.run(n);
  }

  return (run_key) => {
    queries.key.run(run_key);
    const run = queries.run.first(run_key) as [number] | undefined;
    if (run !== undefined) removeRun(run_key, ...run);
    const task = queries.loneTask.first(run_key) as [number, number, number | null] | undefined;
    if (task !== undefined) removeLone(task[0], task.slice(1));
  };
}
