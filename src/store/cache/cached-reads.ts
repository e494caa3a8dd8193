import type { StoreReads } from '../../core/ports/store.ts';
import type { ResultCache } from './result-cache.ts';

/**
 * The reads of a store, with results from a cache where it has them. A result is there only once its task has completed,
 * and a completed task is never reopened: what is kept cannot become wrong. After a run was removed nobody is led to its
 * results any more, since whoever asks for one asks the store for its task first.
 */
export function cachedReads(reads: StoreReads, cache: ResultCache): StoreReads {
  return {
    result: async (task_id) => {
      const known = await cache.get(task_id);
      if (known !== null) return known;
      const stored = await reads.result(task_id);
      if (stored !== null) cache.put(stored);
      return stored;
    },
    task: (task_id) => reads.task(task_id),
    run: (workflow_id) => reads.run(workflow_id),
    runResults: (workflow_id) => reads.runResults(workflow_id),
    payloads: (task_id) => reads.payloads(task_id),
    tasks: (query) => reads.tasks(query),
    runs: (query) => reads.runs(query),
    events: (query) => reads.events(query),
    cursor: () => reads.cursor(),
    document: (collection, key) => reads.document(collection, key),
    documents: (collection, page) => reads.documents(collection, page),
    agent: (name) => reads.agent(name),
    agents: (page) => reads.agents(page),
    stats: () => reads.stats(),
    engines: () => reads.engines(),
  };
}
