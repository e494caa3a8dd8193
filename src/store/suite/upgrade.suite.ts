import { expect } from 'vitest';
import type { Store } from '../../core/ports/store.ts';
import type { Write } from '../../core/writes.ts';
import { final, graph, LANE, lone, retryOf } from './build.suite.ts';
import { done, failed, settling } from './scene.suite.ts';
import { verifyStore } from './verify.suite.ts';

const old = graph('w1', { a: {}, b: { after: ['a'] } });

/** Something of everything: finished, failed, held, parked, queued and waiting tasks, and one in a line. */
export async function fill(store: Store): Promise<void> {
  const commit = (writes: readonly Write[], limit = 0) =>
    store.commit({ writes, claim: limit === 0 ? null : { owner: 'e1', limit, lanes: [LANE] } });
  await commit([
    { kind: 'join', owner: 'e1', ttl_ms: 60_000 },
    { kind: 'submit', runs: [old, lone('t1'), lone('t2', { priority: 'urgent', lane: 'other' })] },
    { kind: 'submit', runs: [graph('w2', { a: { priority: 'low' }, b: { after: ['a'] } })] },
    { kind: 'pause_run', workflow_id: 'w2' },
  ]);
  const { claimed } = await commit([], 2);
  await commit(claimed.map(({ task }) => settling(task, task.id === 'a' ? done() : failed(final))));
  const [next] = (await commit([], 1)).claimed;
  if (next !== undefined) await commit([settling(next.task, failed(final))]);
  await commit([{ kind: 'submit', runs: [lone('t3'), lone('t4')] }], 1);
  const [waits] = (await commit([{ kind: 'submit', runs: [lone('t5', { priority: 'urgent' })] }], 1)).claimed;
  const leases = [{ task_id: 't5', fence: waits?.task.fence ?? 0 }];
  await commit([{ kind: 'release', owner: 'e1', leases, line: 'line rate llm/v1' }]);
  expect((await store.reads.task('t5'))?.task.parked).toBe('line rate llm/v1');
}

/** What was there before a migration and back is there after it, and is counted. */
export async function checkUpgraded(store: Store): Promise<void> {
  await verifyStore(store);
  expect(await store.reads.stats()).toMatchObject({
    tasks: { completed: 1, failed: 2, queued: 5, waiting: 1 },
    runs: { failed: 1, paused: 1 },
    paused: { all: false, protocols: [] },
  });
  // Nobody knew by then what it waited for.
  expect((await store.reads.task('t5'))?.task).toMatchObject({ status: 'queued', parked: null });
  expect((await store.reads.run('w1'))?.run).toMatchObject({ status: 'failed', retry_of: null });
  await store.commit({ writes: [{ kind: 'submit', runs: [retryOf(old, 'w4', { a: '1' })] }], claim: null });
  expect((await store.reads.run('w4'))?.run.retry_of).toBe('w1');
  const { claimed } = await store.commit({
    writes: [{ kind: 'join', owner: 'e2', ttl_ms: 60_000 }],
    claim: { owner: 'e2', limit: 1, lanes: [LANE] },
  });
  expect(claimed.map(({ task }) => task.task_id)).toEqual(['t5']);
  await verifyStore(store);
}
