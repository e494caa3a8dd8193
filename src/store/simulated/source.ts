import type { Source } from '../../core/changes.ts';
import type { TaskRow } from '../../core/records.ts';
import { documentKey, type SimulatedData } from './data.ts';

/** The tables as decisions read them. */
export function sourceOf(data: SimulatedData): Source {
  return {
    task: (task_id) => data.tasks.get(task_id) ?? null,
    body: (task_id) => data.bodies.get(task_id) ?? null,
    run: (workflow_id) => data.runs.get(workflow_id) ?? null,
    openTasks: (workflow_id) => rowsOf(data, data.openOfRun.ids(workflow_id)),
    taskIds: (workflow_id) => {
      const rows = rowsOf(data, data.tasksOfRun.ids(workflow_id));
      return Object.fromEntries(rows.map((row) => [row.id, row.task_id]));
    },
    key: (key) => data.keys.get(key) ?? null,
    document: (collection, key) => data.documents.get(documentKey(collection, key)) ?? null,
    agent: (name) => data.agents.get(name) ?? null,
    engine: (owner) => data.engines.get(owner) ?? null,
    dueTasks: (now, limit) => {
      const due = rowsOf(data, data.due).filter((row) => dueAt(row) <= now);
      return due.sort((a, b) => dueAt(a) - dueAt(b)).slice(0, limit);
    },
    nextDue: (now) => {
      const later = rowsOf(data, data.due).filter((row) => dueAt(row) > now);
      const next = later.reduce((earliest, row) => Math.min(earliest, dueAt(row)), Number.POSITIVE_INFINITY);
      return Number.isFinite(next) ? next : null;
    },
    lostTasks: (now, limit) => {
      const lost = rowsOf(data, data.owned).filter((row) => isLost(data, row.owner ?? '', now));
      return lost.slice(0, limit);
    },
    heldTasks: (owner) => rowsOf(data, data.owned).filter((row) => row.owner === owner),
    lineTasks: (line, limit) => {
      const rows = rowsOf(data, data.waitingInLine.ids(line));
      return rows.sort((a, b) => a.rank - b.rank).slice(0, limit);
    },
    lines: (after, limit) => {
      const lines = [...data.waitingInLine.groups()].sort(compareText);
      return lines.filter((line) => after === null || compareText(line, after) > 0).slice(0, limit);
    },
    lostEngines: (now) => [...data.engines.values()].filter((engine) => engine.alive_until < now),
    prunable: (before, limit) => {
      const old = [...data.settled].filter(([, settled_at]) => settled_at < before);
      return old
        .sort((a, b) => a[1] - b[1] || compareText(a[0], b[0]))
        .slice(0, limit)
        .map(([run_key]) => run_key);
    },
  };
}

/** The rows of some ids, in the order the tasks were accepted. */
export function rowsOf(data: SimulatedData, ids: Iterable<string>): TaskRow[] {
  const rows: TaskRow[] = [];
  for (const id of ids) {
    const row = data.tasks.get(id);
    if (row !== undefined) rows.push(row);
  }
  return rows.sort((a, b) => data.orderOf(a.task_id) - data.orderOf(b.task_id));
}

/** As databases compare the bytes of UTF-8. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function dueAt(row: TaskRow): number {
  return row.due_at ?? Number.POSITIVE_INFINITY;
}

function isLost(data: SimulatedData, owner: string, now: number): boolean {
  const engine = data.engines.get(owner);
  return engine === undefined || engine.alive_until < now;
}
