import { isStorable } from './arrays.ts';
import { type LinesAfter, linesKey, type Needs } from './needs.ts';
import { text } from './rows.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Row, Statement } from './statement.ts';

const idOf = '(SELECT t.task_id FROM task t WHERE t.n = l.n)';

const lineTasks: Statement = {
  name: 'list_line',
  text: `SELECT ${idOf} FROM lined l WHERE l.name = $1::text ORDER BY l.rank, l.n LIMIT $2::bigint`,
};

/** From each line to the one after it, however many wait in them. */
const linesAfter: Statement = {
  name: 'list_lines',
  text: `WITH RECURSIVE line (name) AS (
      (SELECT name FROM lined WHERE name > $1::text ORDER BY name LIMIT 1)
      UNION ALL
      SELECT (SELECT l.name FROM lined l WHERE l.name > line.name ORDER BY l.name LIMIT 1) FROM line
        WHERE line.name IS NOT NULL
    )
    SELECT wanted.name, ${idOf} FROM (SELECT name FROM line WHERE name IS NOT NULL LIMIT $2::bigint) AS wanted,
      LATERAL (SELECT rank, n FROM lined WHERE name = wanted.name ORDER BY rank, n LIMIT $3::bigint) AS l
    ORDER BY wanted.name, l.rank, l.n`,
};

/** Who stands first in the lines that are to be called. */
export function lineQueries(rows: LoadedRows, needs: Needs): Query[] {
  return [
    ...[...needs.lines].flatMap(([line, limit]) => listLine(rows, needs, { line, limit })),
    ...[...needs.linesAfter.values()].map((wanted) => listLines(rows, needs, wanted)),
  ];
}

function listLine(rows: LoadedRows, needs: Needs, { line, limit }: { line: string; limit: number }): Query[] {
  rows.lineIds.set(line, { ids: [], all: true });
  if (!isStorable(line)) return [];
  const take = (found: readonly Row[]) => {
    const ids = found.map(([task_id]) => text(task_id));
    rows.lineIds.set(line, { ids, all: ids.length < limit });
    for (const task_id of ids) needs.tasks.add(task_id);
  };
  return [{ statement: lineTasks, values: [line, limit], take }];
}

function listLines(rows: LoadedRows, needs: Needs, wanted: LinesAfter): Query {
  const { after, limit, places } = wanted;
  const take = (found: readonly Row[]) => {
    const lines = Map.groupBy(found, ([name]) => text(name));
    rows.linesAfter.set(linesKey(wanted), [...lines.keys()]);
    for (const [line, group] of lines) {
      const ids = group.map(([, task_id]) => text(task_id));
      if (rows.lineIds.has(line)) continue;
      rows.lineIds.set(line, { ids, all: ids.length < places });
      for (const task_id of ids) needs.tasks.add(task_id);
    }
  };
  return { statement: linesAfter, values: [after ?? '', limit, places], take };
}
