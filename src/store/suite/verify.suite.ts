import { expect } from 'vitest';
import { failsRun } from '../../core/advance.ts';
import type { Event } from '../../core/events.ts';
import type { EventQuery, Store, StoreReads, TaskQuery } from '../../core/ports/store.ts';
import { priorities } from '../../core/priority.ts';
import { type RunRow, runKeyOf, type TaskRow } from '../../core/records.ts';
import { isSettled } from '../../core/task.ts';
import { verifyFold } from './verify-fold.suite.ts';

/** What holds in every store at every moment, whatever was done to it. */
export async function verifyStore(store: Pick<Store, 'reads'>, { pruned = false } = {}): Promise<void> {
  const events = await allEvents(store.reads);
  const tasks = await allTasks(store.reads);
  const runs = await allRuns(store.reads);
  verifyCursors(events, await store.reads.cursor(), pruned);
  const byRun = groupBy(
    events.filter((event) => event.seq > 0),
    runOfEvent(tasks),
  );
  const tasksOfRun = groupBy(tasks, runKeyOf);
  for (const run of runs) verifyRun(run, tasksOfRun.get(run.workflow_id) ?? []);
  for (const task of tasks) verifyTask(task);
  await verifyStats(store.reads, tasks, runs);
  const rowOf = new Map(runs.map((run) => [run.workflow_id, run]));
  for (const [run_key, own] of tasksOfRun) {
    verifyFold(byRun.get(run_key) ?? [], rowOf.get(run_key) ?? null, own);
  }
  expect([...byRun.keys()].filter((run_key) => !tasksOfRun.has(run_key))).toEqual([]);
}

/** Global numbers have no gaps but where a run was pruned, and are never used again. */
function verifyCursors(events: readonly Event[], newest: number, pruned: boolean): void {
  const cursors = events.map(({ cursor }) => cursor);
  if (!pruned) expect(cursors).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
  expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
  expect(cursors.at(-1) ?? 0).toBeLessThanOrEqual(newest);
}

function verifyRun(run: RunRow, tasks: readonly TaskRow[]): void {
  const open = tasks.filter((task) => !isSettled(task.status)).length;
  expect(run).toMatchObject({ total: tasks.length, open });
  if (run.status !== 'cancelled') expect(run.failed).toBe(tasks.filter(failsRun).length);
  expect(run.settled_at === null, `${run.workflow_id} is ${run.status}`).toBe(open > 0);
}

function verifyTask(task: TaskRow): void {
  const settled = isSettled(task.status);
  if (settled === (task.settled_at !== null) && !(settled && task.owner !== null)) return;
  expect.fail(`${task.task_id} is ${task.status}, settled at ${task.settled_at}, held by ${task.owner}`);
}

/** Counts that are kept from commit to commit are what counting would give. */
async function verifyStats(
  reads: StoreReads,
  tasks: readonly TaskRow[],
  runs: readonly RunRow[],
): Promise<void> {
  const stats = await reads.stats();
  expect(stats.tasks).toEqual(countBy(tasks, ({ status }) => status));
  expect(stats.runs).toEqual(countBy(runs, ({ status }) => status));
  const queued = tasks.filter(({ status }) => status === 'queued');
  const kinds = stats.queued.map(({ protocol, priority, count }) => [`${protocol} ${priority}`, count]);
  expect(Object.fromEntries(kinds)).toEqual(countBy(queued, ({ lane, priority }) => `${lane} ${priority}`));
  const place = ({ protocol, priority }: (typeof stats.queued)[number]) =>
    Buffer.from(`${protocol} ${priorities.indexOf(priority)}`);
  expect(stats.queued).toEqual([...stats.queued].sort((a, b) => Buffer.compare(place(a), place(b))));
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  return Object.fromEntries([...groupBy(items, keyOf)].map(([key, group]) => [key, group.length]));
}

function runOfEvent(tasks: readonly TaskRow[]): (event: Event) => string {
  const keys = new Map(tasks.map((task) => [task.task_id, runKeyOf(task)]));
  return (event) => event.workflow_id ?? keys.get(event.task_id ?? '') ?? `unknown: ${event.task_id}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Reads on until the store says there is no more now. */
export async function allEvents(
  reads: StoreReads,
  query: Omit<EventQuery, 'after' | 'limit'> & { after?: number; limit?: number } = {},
): Promise<Event[]> {
  const events: Event[] = [];
  let after = query.after ?? 0;
  for (;;) {
    const page = await reads.events({ ...query, limit: query.limit ?? 1000, after });
    expect(page.events.length).toBeLessThanOrEqual(query.limit ?? 1000);
    expect(page.cursor).toBeGreaterThanOrEqual(page.events.at(-1)?.cursor ?? after);
    events.push(...page.events);
    after = page.cursor;
    if (!page.more) return events;
  }
}

export async function allTasks(reads: StoreReads, query: Partial<TaskQuery> = {}): Promise<TaskRow[]> {
  return everyPage((cursor) => reads.tasks({ order: 'oldest', limit: 1000, ...query, ...cursor }));
}

export async function allRuns(reads: StoreReads): Promise<RunRow[]> {
  return everyPage((cursor) => reads.runs({ order: 'oldest', limit: 1000, ...cursor }));
}

export async function everyPage<Item>(
  read: (cursor: { cursor?: string }) => Promise<{ items: readonly Item[]; next_cursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await read(cursor === undefined ? {} : { cursor });
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}
