import type { StoreReads } from '../../core/ports/store.ts';
import type { TaskRow } from '../../core/records.ts';
import { isSettled } from '../../core/task.ts';
import type { Engine } from '../../engine/engine.ts';

/** What ids begin with that were given out here. Neither can be the beginning of the other: no hash has a dot. */
export const RUN_PREFIX = 'zone-';
export const LONE_PREFIX = 'zone.';

/** Whether a task of this name can only have been given out here. */
export function isOfZone(task_id: string): boolean {
  return task_id.startsWith(RUN_PREFIX) || isLone(task_id);
}

function isLone(task_id: string): boolean {
  return task_id.startsWith(LONE_PREFIX);
}

/** A task of the other zone, as the engine has it now: a task by itself, or a run. */
export type Work = {
  readonly task_id: string;
  readonly status: 'open' | 'completed' | 'failed' | 'cancelled';
  readonly settled_at: number | null;
  /** All of its tasks, in the order in which they were accepted. */
  readonly tasks: () => Promise<readonly TaskRow[]>;
};

export type WorkParts = {
  readonly engine: Pick<Engine, 'result' | 'runResult'>;
  readonly reads: Pick<StoreReads, 'run' | 'task' | 'tasks'>;
};

const PAGE = 500;

export async function findWork({ reads }: WorkParts, task_id: string): Promise<Work | null> {
  if (isLone(task_id)) {
    const found = await reads.task(task_id);
    return found === null ? null : loneWork(found.task);
  }
  const run = (await reads.run(task_id))?.run;
  if (run === undefined) return null;
  const { settled_at, status } = run;
  const word = status === 'running' || status === 'paused' ? 'open' : status;
  return { task_id, status: word, settled_at, tasks: () => tasksOf(reads, task_id) };
}

function loneWork(task: TaskRow): Work {
  const { task_id, settled_at, status } = task;
  // Only a task that depends on another is skipped.
  const word = !isSettled(status) ? 'open' : status === 'skipped' ? 'failed' : status;
  return { task_id, status: word, settled_at, tasks: async () => [task] };
}

/** Returns when it has settled, or after so long. */
export async function settledWithin(
  { engine }: WorkParts,
  task_id: string,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  if (isLone(task_id)) await engine.result(task_id, ms, signal);
  else await engine.runResult(task_id, ms, signal);
}

async function tasksOf(reads: Pick<StoreReads, 'tasks'>, workflow_id: string): Promise<readonly TaskRow[]> {
  const tasks: TaskRow[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const from = cursor === undefined ? {} : { cursor };
    const page = await reads.tasks({ workflow_id, order: 'oldest', limit: PAGE, ...from });
    tasks.push(...page.items);
    cursor = page.next_cursor;
  }
  return tasks;
}
