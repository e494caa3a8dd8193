import type { Changes } from '../../core/changes.ts';
import type { RunRow, TaskRow } from '../../core/records.ts';
import { integers, texts } from './arrays.ts';
import { text } from './rows.ts';
import type { Session } from './session.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Row, Statement } from './statement.ts';

/**
 * Adds to the counts what a commit changed. Nearly every commit touches the same few rows, so this comes after the lock
 * of the feed, under which commits stand in line anyway; and always in the order of the key, for those that number nothing.
 */
const addCounts: Statement = {
  name: 'add_counts',
  text: `INSERT INTO tally AS t (kind, name, priority, count)
    SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::bigint[])
    ON CONFLICT (kind, name, priority) DO UPDATE SET count = t.count + excluded.count`,
};

/** What goes with pruned runs. They are locked, so it stays like this until they are removed. */
const countGone: Statement = {
  name: 'count_gone',
  text: `SELECT 'task', status, count(*) FROM task WHERE workflow_id = ANY($1::text[]) GROUP BY status
    UNION ALL SELECT 'task', status, count(*) FROM task
      WHERE task_id = ANY($1::text[]) AND workflow_id IS NULL GROUP BY status
    UNION ALL SELECT 'run', status, count(*) FROM run WHERE workflow_id = ANY($1::text[]) GROUP BY status`,
};

/** Rows of kind, status and count. */
export type Gone = readonly Row[];

export async function goneWith(session: Session, pruned: readonly string[]): Promise<Gone> {
  return pruned.length === 0 ? [] : session.rows(countGone, [texts(pruned)]);
}

type Count = {
  readonly kind: string;
  readonly name: string;
  readonly priority: string;
  readonly count: number;
};

/** By how much the counts change. Maps of maps, because a key put together for each task would cost more. */
class Counts {
  readonly #tasks = new Map<string, number>();
  readonly #runs = new Map<string, number>();
  readonly #lanes = new Map<string, Map<string, number>>();

  tasks(by: number, status: string): void {
    add(this.#tasks, status, by);
  }

  runs(by: number, status: string): void {
    add(this.#runs, status, by);
  }

  task(by: number, { status, lane, priority }: TaskRow): void {
    add(this.#tasks, status, by);
    if (status !== 'queued') return;
    const counts = this.#lanes.get(lane) ?? new Map<string, number>();
    this.#lanes.set(lane, counts);
    add(counts, priority, by);
  }

  /** Always in the same order, whoever asks. */
  changed(): Count[] {
    const counts: Count[] = [];
    for (const [name, count] of this.#tasks) counts.push({ kind: 'task', name, priority: '', count });
    for (const [name, count] of this.#runs) counts.push({ kind: 'run', name, priority: '', count });
    for (const [name, lane] of this.#lanes)
      for (const [priority, count] of lane) counts.push({ kind: 'queue', name, priority, count });
    return counts.filter(({ count }) => count !== 0).sort(byKey);
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function byKey(a: Count, b: Count): number {
  const [left, right] = [a, b].map(({ kind, name, priority }) => `${kind} ${name} ${priority}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

export function tally(changes: Changes, rows: LoadedRows, gone: Gone): Query[] {
  const counts = new Counts();
  for (const [kind, status, count] of gone)
    counts[kind === 'run' ? 'runs' : 'tasks'](-Number(count), text(status));
  for (const { row } of changes.newTasks) counts.task(1, row);
  for (const row of changes.tasks) {
    const before = rows.tasks.get(row.task_id);
    if (before == null || before.status === row.status) continue;
    counts.task(-1, before);
    counts.task(1, row);
  }
  for (const { row } of changes.newRuns) counts.runs(1, row.status);
  for (const row of changes.runs) moveRun(counts, rows.runs.get(row.workflow_id) ?? null, row);
  const changed = counts.changed();
  if (changed.length === 0) return [];
  const values = [
    texts(changed.map(({ kind }) => kind)),
    texts(changed.map(({ name }) => name)),
    texts(changed.map(({ priority }) => priority)),
    integers(changed.map(({ count }) => count)),
  ];
  return [{ statement: addCounts, values }];
}

function moveRun(counts: Counts, before: RunRow | null, after: RunRow): void {
  if (before === null || before.status === after.status) return;
  counts.runs(-1, before.status);
  counts.runs(1, after.status);
}
