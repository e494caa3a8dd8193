import { LINE_LOOKED_AT, type QueuedCount, type QueueStats } from '../../core/ports/store.ts';
import { priorities } from '../../core/priority.ts';
import { pauseDocument, pausedIn } from '../../core/queue-pause.ts';
import type { TaskRow } from '../../core/records.ts';
import { inLine } from './claim.ts';
import { documentKey, type SimulatedData } from './data.ts';
import { compareText } from './source.ts';

export function statsOf(data: SimulatedData): QueueStats {
  const { collection, key } = pauseDocument;
  return {
    tasks: countByStatus(data.tasks.values()),
    runs: countByStatus(data.runs.values()),
    queued: queuedCounts(data),
    paused: pausedIn(data.documents.get(documentKey(collection, key)) ?? null),
  };
}

function queuedCounts(data: SimulatedData): QueuedCount[] {
  const queued = [...data.tasks.values()].filter(({ status }) => status === 'queued');
  const lanes = Map.groupBy(queued, ({ lane }) => lane);
  return [...lanes]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([protocol, rows]) => {
      const next = inLine(data, [protocol]).slice(0, LINE_LOOKED_AT);
      return priorities.flatMap((priority) => {
        const isOne = (row: TaskRow) => row.priority === priority;
        const count = rows.filter(isOne).length;
        const times = next.filter(isOne).map(({ created_at }) => created_at);
        const oldest_created_at = times.length === 0 ? null : Math.min(...times);
        return count === 0 ? [] : [{ protocol, priority, count, oldest_created_at }];
      });
    });
}

function countByStatus<Status extends string>(
  rows: Iterable<{ status: Status }>,
): Partial<Record<Status, number>> {
  const counts: Partial<Record<Status, number>> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
