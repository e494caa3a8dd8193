import type { DatabaseSync } from 'node:sqlite';
import { runStatusOf, taskStatusOf } from './codes.ts';
import { prepare } from './connection.ts';
import { type Memory, move } from './memory.ts';

export const pruneSql = {
  loneTask: 'SELECT n, first_cursor FROM task WHERE task_id = ? AND workflow_id IS NULL',
  run: 'SELECT n, first_cursor FROM run WHERE workflow_id = ?',
  tasksOfRun: 'SELECT n FROM task WHERE workflow_id = ?',
  task: 'DELETE FROM task WHERE n = ? RETURNING task_id, status',
  body: 'DELETE FROM task_body WHERE n = ?',
  result: 'DELETE FROM result WHERE n = ?',
  runRow: 'DELETE FROM run WHERE n = ? RETURNING status',
  payload: 'DELETE FROM payload WHERE run_n = ?',
  firstEvent: 'DELETE FROM event WHERE cursor = ?',
  events: 'DELETE FROM event WHERE run_n = ? AND first_seq > 1',
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
    move(memory.taskTally, taskStatusOf(values[1]), null);
    queries.body.run(n);
    queries.result.run(n);
  }

  function removeLog(n: number, first_cursor: number | null): void {
    queries.payload.run(n);
    queries.firstEvent.run(first_cursor);
    queries.events.run(n);
  }

  return (run_key) => {
    queries.key.run(run_key);
    const run = queries.run.first(run_key) as [number, number | null] | undefined;
    if (run !== undefined) {
      for (const [n] of queries.tasksOfRun.all(run_key)) removeTask(n as number);
      const status = queries.runRow.first(run[0])?.[0];
      move(memory.runTally, runStatusOf(status), null);
      removeLog(...run);
      return;
    }
    const task = queries.loneTask.first(run_key) as [number, number | null] | undefined;
    if (task === undefined) return;
    removeTask(task[0]);
    removeLog(...task);
  };
}
