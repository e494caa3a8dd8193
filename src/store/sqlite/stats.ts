import type { DatabaseSync } from 'node:sqlite';
import { LINE_LOOKED_AT, type QueuedCount, type QueueStats } from '../../core/ports/store.ts';
import type { Priority } from '../../core/priority.ts';
import { pauseDocument, pausedIn } from '../../core/queue-pause.ts';
import { priorityOf } from './codes.ts';
import { prepare, type Query } from './connection.ts';
import type { Tally } from './memory.ts';
import { QueueTally } from './queue-tally.ts';

export const statsSql = {
  tallies: 'SELECT task_tally, run_tally, queue_tally FROM meta',
  paused: 'SELECT text, version FROM document WHERE collection = ? AND key = ?',
  line: `SELECT flags & 3, min(created_at) FROM (
      SELECT flags, created_at FROM task INDEXED BY task_ready WHERE place = 0 AND lane = ? ORDER BY rank, n LIMIT ?
    ) GROUP BY 1`,
} as const;

/** What is counted is written down by every commit; only who is next in line is looked up. */
export class StatsReads {
  readonly #queries: Readonly<Record<keyof typeof statsSql, Query>>;

  constructor(db: DatabaseSync) {
    const entries = Object.entries(statsSql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof statsSql, Query>>;
  }

  read(): QueueStats {
    const [tasks, runs, queue] = this.#queries.tallies.first() as [string, string, string];
    const { collection, key } = pauseDocument;
    const paused = this.#queries.paused.first(collection, key) as [string, number] | undefined;
    return {
      tasks: counted(tasks),
      runs: counted(runs),
      queued: this.#queued(queue),
      paused: pausedIn(
        paused === undefined ? null : { collection, key, text: paused[0], version: paused[1] },
      ),
    };
  }

  #queued(text: string): QueuedCount[] {
    const tally = new QueueTally();
    tally.load(text);
    const lines = new Map<string, ReadonlyMap<Priority, number>>();
    return [...tally.entries()].map(([protocol, priority, count]) => {
      const line = lines.get(protocol) ?? this.#line(protocol);
      lines.set(protocol, line);
      return { protocol, priority, count, oldest_created_at: line.get(priority) ?? null };
    });
  }

  #line(lane: string): ReadonlyMap<Priority, number> {
    const rows = this.#queries.line.all(lane, LINE_LOOKED_AT) as unknown as [number, number][];
    return new Map(rows.map(([code, created_at]) => [priorityOf(code), created_at]));
  }
}

function counted(tally: string): QueueStats['tasks'] & QueueStats['runs'] {
  return Object.fromEntries(Object.entries(JSON.parse(tally) as Tally).filter(([, count]) => count > 0));
}
