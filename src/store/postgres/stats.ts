import { LINE_LOOKED_AT, type QueuedCount, type QueueStats } from '../../core/ports/store.ts';
import { type Priority, priorities } from '../../core/priority.ts';
import { pauseDocument, pausedIn } from '../../core/queue-pause.ts';
import type { Reader } from './reader.ts';
import { documentOf, text } from './rows.ts';
import type { Row, Statement } from './statement.ts';

const counts: Statement = {
  name: 'stats',
  text: 'SELECT kind, name, priority, count FROM tally WHERE count > 0 ORDER BY kind, name',
};

/** The first of each lane in which something is queued. */
const lines: Statement = {
  name: 'stats_lines',
  text: `SELECT l.name, t.priority, min(t.created_at)
    FROM (SELECT DISTINCT name FROM tally WHERE kind = 'queue' AND count > 0) AS l
    CROSS JOIN LATERAL (
      SELECT r.n FROM ready r WHERE r.lane = l.name ORDER BY r.rank, r.n LIMIT $1::bigint
    ) AS line JOIN task t ON t.n = line.n GROUP BY l.name, t.priority`,
};

const paused: Statement = {
  name: 'stats_paused',
  text: `SELECT collection, key, content, version FROM document WHERE collection = $1::text AND key = $2::text`,
};

/** What is counted is written down by every commit; only who is next in line is looked up. */
export async function readStats(reader: Reader): Promise<QueueStats> {
  const { collection, key } = pauseDocument;
  const [counted, inLine, [document]] = await Promise.all([
    reader.rows(counts),
    reader.rows(lines, [LINE_LOOKED_AT]),
    reader.rows(paused, [collection, key]),
  ]);
  const ofKind = (kind: string) => counted.filter((row) => row[0] === kind);
  const byStatus = (kind: string) =>
    Object.fromEntries(ofKind(kind).map((row) => [text(row[1]), Number(row[3])]));
  return {
    tasks: byStatus('task'),
    runs: byStatus('run'),
    queued: queuedCounts(ofKind('queue'), inLine),
    paused: pausedIn(document === undefined ? null : documentOf(document)),
  };
}

function queuedCounts(counted: readonly Row[], inLine: readonly Row[]): QueuedCount[] {
  const oldest = new Map(inLine.map((row) => [`${row[1]} ${row[0]}`, Number(row[2])]));
  const found = counted.map(([, name, priority, count]) => ({
    protocol: text(name),
    priority: text(priority) as Priority,
    count: Number(count),
    oldest_created_at: oldest.get(`${priority} ${name}`) ?? null,
  }));
  // Sorting keeps the order of the names among equals.
  const groups = Map.groupBy(found, ({ protocol }) => protocol);
  return [...groups.values()].flatMap((group) =>
    group.sort((a, b) => priorities.indexOf(a.priority) - priorities.indexOf(b.priority)),
  );
}
