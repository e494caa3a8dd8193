import type { Event } from '../../src/core/events.ts';
import { fold } from '../../src/core/fold.ts';
import type { StoreReads } from '../../src/core/ports/store.ts';
import { runKeyOf, type TaskRow } from '../../src/core/records.ts';

/** How many tasks the store and the fold of its log disagree about. */
export async function foldDifferences(reads: StoreReads): Promise<number> {
  const tasks = new Map<string, TaskRow>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await reads.tasks({
      limit: 1000,
      order: 'oldest',
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const row of page.items) tasks.set(row.task_id, row);
    cursor = page.next_cursor;
  }
  const logs = await readLogs(reads, tasks);
  let different = 0;
  const told = new Set<string>();
  for (const events of logs.values()) {
    for (const task of fold(events).tasks.values()) {
      told.add(task.task_id);
      const row = tasks.get(task.task_id);
      const same =
        row !== undefined &&
        row.status === task.status &&
        row.attempt_count === task.attempt_count &&
        row.result_hash === task.result_hash;
      if (!same) different++;
    }
  }
  return different + [...tasks.keys()].filter((task_id) => !told.has(task_id)).length;
}

async function readLogs(
  reads: StoreReads,
  tasks: ReadonlyMap<string, TaskRow>,
): Promise<Map<string, Event[]>> {
  const logs = new Map<string, Event[]>();
  for (let after = 0, more = true; more; ) {
    const page = await reads.events({ after, limit: 5000 });
    for (const event of page.events) {
      const row = tasks.get(event.task_id ?? '');
      const key = event.workflow_id ?? (row === undefined ? null : runKeyOf(row));
      if (key === null) continue;
      const log = logs.get(key);
      if (log === undefined) logs.set(key, [event]);
      else log.push(event);
    }
    after = page.cursor;
    more = page.more;
  }
  return logs;
}
