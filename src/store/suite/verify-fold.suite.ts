import { expect } from 'vitest';
import type { Event } from '../../core/events.ts';
import { fold } from '../../core/fold.ts';
import { toldAttempt } from '../../core/fold-compare.ts';
import type { FoldedTask } from '../../core/fold-task.ts';
import type { RunRow, TaskRow } from '../../core/records.ts';

/** Invariant 3: what is stored of a run is what its log tells. */
export function verifyFold(events: readonly Event[], run: RunRow | null, tasks: readonly TaskRow[]): void {
  const folded = fold(events);
  if (run === null) expect(folded.run).toBe(null);
  else expect(run).toMatchObject({ ...folded.run, seq: folded.seq });
  const told = [...folded.tasks.values()].sort(byId).map(toldOf);
  expect([...tasks].sort(byId).map(storedOf)).toEqual(told);
}

function byId(a: { task_id: string }, b: { task_id: string }): number {
  return a.task_id < b.task_id ? -1 : 1;
}

type Told = Omit<
  FoldedTask,
  'name' | 'protocol' | 'method' | 'agent' | 'dependencies' | 'params_hash' | 'provider'
>;

function toldOf(task: FoldedTask): Told {
  const { name, protocol, method, agent, dependencies, params_hash, provider, ...told } = task;
  return told;
}

function storedOf(row: TaskRow): Told {
  return {
    task_id: row.task_id,
    id: row.id,
    priority: row.priority,
    created_at: row.created_at,
    status: row.status,
    attempt_count: row.attempt_count,
    attempt_base: row.attempt_base,
    generation: row.generation,
    attempts: row.attempts.map(toldAttempt),
    budget_from: row.budget_from,
    settled_at: row.settled_at,
    error: row.error,
    result_hash: row.result_hash,
    due_at: row.status === 'retrying' ? row.due_at : null,
  };
}
