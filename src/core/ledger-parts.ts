import type { DocumentName } from './changes.ts';
import type { TaskRow } from './records.ts';

/** Rows of a table that can also go, as a commit has changed them so far; null stands for one that is gone. */
export class Staged<Row> {
  readonly #rows = new Map<string, Row | null>();

  get(key: string, stored: () => Row | null): Row | null {
    const staged = this.#rows.get(key);
    return staged === undefined ? stored() : staged;
  }

  put(key: string, row: Row | null): void {
    this.#rows.set(key, row);
  }

  rows(): Row[] {
    return [...this.#rows.values()].filter((row) => row !== null);
  }

  gone(): string[] {
    return [...this.#rows].filter(([, row]) => row === null).map(([key]) => key);
  }
}

/** Rows that come with something new, each with it, and the others. */
export function sortOut<Row, Extra>(
  rows: ReadonlyMap<string, Row>,
  extras: ReadonlyMap<string, Extra>,
): { added: [row: Row, extra: Extra][]; known: Row[] } {
  const added: [Row, Extra][] = [];
  const known: Row[] = [];
  for (const [id, row] of rows) {
    const extra = extras.get(id);
    if (extra === undefined) known.push(row);
    else added.push([row, extra]);
  }
  return { added, known };
}

/**
 * Who waits in a line, best first, over what a commit has changed so far. `stored` shows the line as it was before it,
 * up to a limit; what it shows may have left meanwhile, so it is asked for more until there are enough or no more.
 */
export function inLine(
  line: string,
  limit: number,
  {
    stored,
    changed,
  }: { stored: (limit: number) => readonly TaskRow[]; changed: ReadonlyMap<string, TaskRow> },
): TaskRow[] {
  const joined = [...changed.values()].filter(({ parked }) => parked === line);
  for (let asked = limit; ; asked *= 2) {
    const rows = stored(asked);
    const stayed = rows.filter(({ task_id }) => !changed.has(task_id));
    if (stayed.length < limit && rows.length >= asked && asked > 0) continue;
    return [...stayed, ...joined].sort((a, b) => a.rank - b.rank).slice(0, limit);
  }
}

export function documentKey(name: DocumentName): string {
  return JSON.stringify([name.collection, name.key]);
}

export function documentName(text: string): DocumentName {
  const [collection, key] = JSON.parse(text) as [string, string];
  return { collection, key };
}
