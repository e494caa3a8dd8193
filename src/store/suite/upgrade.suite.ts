import { expect } from 'vitest';
import type { Store } from '../../core/ports/store.ts';
import type { Write } from '../../core/writes.ts';
import { agent, final, graph, LANE, lone, retryOf } from './build.suite.ts';
import { asking, responding } from './outside.suite.ts';
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
  await waitOutside(store);
}

const lane = 'of those who ask';
const asked = { text: 'which?' };

/** An agent, one task that somebody has to answer, and one that a service is to call back about. */
async function waitOutside(store: Store): Promise<void> {
  const named = { priority: 'urgent', lane } as const;
  const { claimed } = await store.commit({
    writes: [
      { kind: 'put_agent', agent: agent('Writer'), expect: null },
      { kind: 'submit', runs: [lone('t6', named), lone('t7', named)] },
    ],
    claim: { owner: 'e1', limit: 2, lanes: [lane] },
  });
  const waits = {
    t6: asking({ ask: asked }),
    t7: asking({ kind: 'notification', token: 'mark', late: 'resume' }),
  };
  const writes = claimed.map(({ task }) => settling(task, task.id === 't6' ? waits.t6 : waits.t7));
  await store.commit({ writes, claim: null });
}

/** They wait for the same as before; the agent went with its table and can be registered again. */
async function checkWaiting(store: Store): Promise<void> {
  expect(await store.reads.agent('Writer')).toBeNull();
  await store.commit({
    writes: [{ kind: 'put_agent', agent: agent('Writer'), expect: 0 }],
    claim: null,
  });
  const six = (await store.reads.task('t6'))?.task;
  expect(six).toMatchObject({ status: 'input_required', owner: null });
  expect(six?.attempts.at(-1)?.outside?.wait).toMatchObject({ kind: 'input', ask: asked });
  expect((await store.reads.task('t7'))?.task).toMatchObject({ status: 'executing', owner: null });
  const { claimed } = await store.commit({
    writes: [responding('t6', '"b"'), responding('t7', '{}', { token: 'mark' })],
    claim: { owner: 'e2', limit: 2, lanes: [lane] },
  });
  expect(claimed.map(({ task }) => [task.task_id, task.attempts.at(-1)?.outside?.response?.text])).toEqual([
    ['t6', '"b"'],
    ['t7', '{}'],
  ]);
}

/** What was there before a migration and back is there after it, and is counted. */
export async function checkUpgraded(store: Store): Promise<void> {
  await verifyStore(store);
  expect(await store.reads.stats()).toMatchObject({
    tasks: { completed: 1, failed: 2, queued: 5, waiting: 1, executing: 1, input_required: 1 },
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
  await checkWaiting(store);
  await verifyStore(store);
}
