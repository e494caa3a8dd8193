import { eventNames } from '../../src/core/events.ts';
import type { StoreReads } from '../../src/core/ports/store.ts';
import { priorities } from '../../src/core/priority.ts';
import { runStatuses } from '../../src/core/run.ts';
import { taskStatuses } from '../../src/core/task.ts';
import { allEvents, everyPage } from '../../src/store/suite/verify.suite.ts';
import type { Known } from './build-write.ts';
import { EPOCH } from './subject.ts';

/** Everything a store can be asked for. */
export async function readOut(reads: StoreReads, known: Known): Promise<unknown> {
  const ids = [...new Set(known.tasks)];
  const runs = [...new Set(known.runs)];
  const each = <Answer>(list: readonly string[], read: (id: string) => Promise<Answer>) =>
    Promise.all(list.map(read));
  return {
    tasks: await each(ids, (id) => reads.task(id)),
    results: await each(ids, (id) => reads.result(id)),
    payloads: await each(ids, (id) => reads.payloads(id)),
    runs: await each(runs, (id) => reads.run(id)),
    runResults: await each(runs, (id) => reads.runResults(id)),
    events: await allEvents(reads),
    cursor: await reads.cursor(),
    stats: await reads.stats(),
    documents: await each(['c0', 'c1', 'queue'], (collection) =>
      everyPage((cursor) => reads.documents(collection, { limit: 2, ...cursor })),
    ),
    agents: await everyPage((cursor) => reads.agents({ limit: 2, ...cursor })),
    agentsOf: await everyPage((cursor) => reads.agents({ limit: 1, protocol: 'p1', ...cursor })),
    taskList: await everyPage((cursor) => reads.tasks({ order: 'oldest', limit: 7, ...cursor })),
    runList: await everyPage((cursor) => reads.runs({ order: 'newest', limit: 3, ...cursor })),
  };
}

type Query = (ask: { reads: StoreReads; known: Known; what: number; limit: number }) => Promise<unknown>;

const one = <Item>(items: readonly Item[], number: number): Item | undefined =>
  items[number % Math.max(1, items.length)];

const queries: readonly Query[] = [
  ({ reads, what, limit }) => {
    const status = [taskStatuses[what % taskStatuses.length] ?? 'queued', 'completed' as const];
    return everyPage((cursor) => reads.tasks({ order: 'oldest', status, limit, ...cursor }));
  },
  ({ reads, what, limit }) => {
    const priority = [priorities[what % priorities.length] ?? 'normal'];
    return everyPage((cursor) => reads.tasks({ order: 'newest', priority, limit, ...cursor }));
  },
  ({ reads, known, what, limit }) => {
    const workflow_id = one(known.runs, what) ?? 'none';
    return everyPage((cursor) => reads.tasks({ order: 'oldest', workflow_id, limit, ...cursor }));
  },
  ({ reads, what, limit }) => {
    const range = { created_from: EPOCH + (what % 7) * 500, created_to: EPOCH + what * 100 };
    return everyPage((cursor) => reads.tasks({ order: 'newest', ...range, limit, ...cursor }));
  },
  ({ reads, what, limit }) => {
    const status = [runStatuses[what % runStatuses.length] ?? 'running'];
    return everyPage((cursor) =>
      reads.runs({ order: 'oldest', status, name: `n${what % 2}`, limit, ...cursor }),
    );
  },
  ({ reads, known, what, limit }) =>
    allEvents(reads, { workflow_id: one(known.runs, what) ?? 'none', limit }),
  ({ reads, known, what, limit }) => allEvents(reads, { task_id: one(known.tasks, what) ?? 'none', limit }),
  ({ reads, what, limit }) =>
    everyPage((cursor) =>
      reads.documents(`c${what % 2}`, { limit, prefix: what % 3 === 0 ? 'k' : `k${what % 4}`, ...cursor }),
    ),
  ({ reads }) => reads.stats(),
  ({ reads, what, limit }) => {
    const events = [eventNames[what % eventNames.length] ?? 'task:queued', 'task:started' as const];
    return allEvents(reads, { events, limit, after: what % 50 });
  },
];

/** One question out of many. */
export function readSome(ask: Parameters<Query>[0]): Promise<unknown> {
  return (queries[ask.what % queries.length] as Query)(ask);
}
