import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/services/postgres.ts';
import type { ClaimedTask, Store } from '../../core/ports/store.ts';
import type { Write } from '../../core/writes.ts';
import { graph, LANE, lone } from '../suite/build.suite.ts';
import { done, settling, starting, the } from '../suite/scene.suite.ts';
import { openAt, query } from './harness.suite.ts';

let database: FreshDatabase;
let store: Store;
let other: Store;
beforeEach(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  store = await openAt(database.url, { poolSize: 2 });
  other = await openAt(database.url, { poolSize: 1 });
});
afterEach(async () => {
  await store.close();
  await other.close();
  await database.drop();
});

function commit(by: Store, ...writes: readonly Write[]) {
  return by.commit({ writes, claim: null });
}

/** Submits tasks and claims them through the first store, which remembers them. */
async function held(...ids: readonly string[]): Promise<readonly ClaimedTask[]> {
  const answer = await store.commit({
    writes: [
      { kind: 'join', owner: 'e1', ttl_ms: 60_000 },
      { kind: 'submit', runs: ids.map((id) => lone(id)) },
    ],
    claim: { owner: 'e1', limit: ids.length, lanes: [LANE] },
  });
  expect(answer.claimed.map(({ task }) => task.task_id)).toEqual(ids);
  return answer.claimed;
}

describe('numbers of events', () => {
  it('are given in the order of commits: a reader never passes over a late one', async () => {
    const late = new pg.Client({ connectionString: database.url });
    await late.connect();
    await late.query('SET search_path TO gleitzeit; BEGIN');
    await late.query('UPDATE feed SET last = last + 1');
    await late.query(
      `INSERT INTO event VALUES (1, 1, 1, 0, true, false, 'late', '[["e","task:validated",{}]]')`,
    );
    let committed = false;
    const waiting = commit(store, { kind: 'submit', runs: [lone('t1')] }).then(() => {
      committed = true;
    });
    await expect
      .poll(() => query(database.url, `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`))
      .toHaveLength(1);
    expect(await other.reads.events({ after: 0, limit: 9 })).toEqual({ events: [], cursor: 0, more: false });
    expect(committed).toBe(false);
    await late.query('COMMIT');
    await late.end();
    await waiting;
    const { events } = await other.reads.events({ after: 0, limit: 9 });
    expect(events.map(({ cursor, event }) => [cursor, event])).toEqual([
      [1, 'task:validated'],
      [2, 'task:queued'],
    ]);
  });
});

describe('the next step of a task that was claimed here', () => {
  it('is refused when somebody else ended the claim, and its neighbours are not', async () => {
    const [one, two] = await held('t1', 't2');
    await commit(other, { kind: 'cancel_task', task_id: 't1', reason: null });
    const { verdicts } = await commit(
      store,
      settling(the(one).task, done()),
      settling(the(two).task, done()),
    );
    expect(verdicts).toMatchObject([
      { ok: true, answer: { recorded: false, status: 'cancelled' } },
      { ok: true, answer: { recorded: true, status: 'completed' } },
    ]);
  });

  it('goes on from where somebody else took it under the same claim', async () => {
    const [one] = await held('t1');
    await commit(other, starting(the(one).task));
    await commit(store, { ...settling(the(one).task, done()), start: null });
    const { task } = the(await store.reads.task('t1'));
    expect(task).toMatchObject({ status: 'completed', attempt_count: 1, owner: null });
  });

  it('is started, and settled later, without being read', async () => {
    const [one] = await held('t1');
    expect((await commit(store, starting(the(one).task))).verdicts).toMatchObject([
      { answer: { started: true } },
    ]);
    const second = { ...starting(the(one).task), start: { attempt: 2, provider: null, ago_ms: 0 } };
    expect((await commit(store, second)).verdicts).toMatchObject([{ answer: { started: false } }]);
    await commit(store, settling(the(one).task, done('1')));
    expect((await other.reads.task('t1'))?.task).toMatchObject({ status: 'completed', attempt_count: 1 });
    expect((await other.reads.result('t1'))?.result).toBe('1');
  });

  it('is not started when the claim has ended', async () => {
    const [one] = await held('t1');
    await commit(other, { kind: 'release', owner: 'e1', leases: [{ task_id: 't1', fence: 1 }] });
    const { verdicts } = await commit(store, starting(the(one).task));
    expect(verdicts).toMatchObject([{ answer: { started: false } }]);
  });

  it('is refused for what it is now, where nothing would be written', async () => {
    const [one] = await held('t1');
    const early: Write = { ...settling(the(one).task, done()), start: null };
    expect((await commit(store, early)).verdicts).toMatchObject([
      { ok: false, error: { data: { error_code: 'GLZ1011' } } },
    ]);
    await commit(other, { kind: 'cancel_task', task_id: 't1', reason: null });
    expect((await commit(store, early)).verdicts).toMatchObject([
      { ok: true, answer: { recorded: false, status: 'cancelled' } },
    ]);
  });
});

describe('hints', () => {
  it('of a change go to the other stores, not to the one that made it', async () => {
    let own = 0;
    store.onChange(() => own++);
    for (let round = 0; round < 5; round++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const stop = other.onChange(() => resolve());
      await commit(store, { kind: 'submit', runs: [lone(`t${round}`)] });
      await promise;
      stop();
    }
    expect(own).toBe(0);
  });
});

describe('many engines', () => {
  it('settle and cancel the same runs from both ends', async () => {
    const runs = Array.from({ length: 20 }, (_, index) => `w${index}`);
    await commit(store, {
      kind: 'submit',
      runs: runs.map((id) => graph(id, { a: {}, b: { after: ['a'] } })),
    });
    for (let round = 0; round < 5; round++) {
      const cancels = runs.map((id): Write => ({ kind: 'cancel_task', task_id: `${id}/a`, reason: null }));
      const pauses = runs.map((id): Write => ({ kind: 'pause_run', workflow_id: id }));
      const retries = runs.map((id): Write => ({ kind: 'retry_task', task_id: `${id}/a` }));
      await Promise.all([
        commit(store, ...cancels),
        commit(other, ...cancels.toReversed(), ...retries),
        commit(store, ...pauses.toReversed()),
      ]);
    }
    for (const id of runs) {
      const { run } = the(await store.reads.run(id));
      const { items } = await store.reads.tasks({ workflow_id: id, limit: 9 });
      const settled = items.filter(({ settled_at }) => settled_at !== null);
      expect(run.open).toBe(2 - settled.length);
    }
  });
});

describe('text that Postgres cannot hold', () => {
  it.each(['a\u0000b', 'half \ud800 a pair'])('%j is refused alone, and never found', async (text) => {
    const { verdicts } = await commit(
      store,
      { kind: 'submit', runs: [lone('t1')] },
      { kind: 'submit', runs: [lone(text)] },
      { kind: 'submit', runs: [lone('t3', {}, { idempotency_key: text })] },
      { kind: 'put_document', collection: text, key: 'k', text: 'x', expect: null },
      { kind: 'cancel_task', task_id: text, reason: null },
      { kind: 'submit', runs: [lone('t2')] },
    );
    const codes = verdicts.map((verdict) => verdict.ok || verdict.error.data.error_code);
    expect(codes).toEqual([true, 'GLZ3009', 'GLZ3009', 'GLZ3009', 'GLZ1010', true]);
    expect(await store.reads.task(text)).toBeNull();
    expect(await store.reads.run(text)).toBeNull();
    expect(await store.reads.result(text)).toBeNull();
    expect(await store.reads.runResults(text)).toEqual({});
    expect(await store.reads.payloads(text)).toBeNull();
    expect(await store.reads.document(text, 'k')).toBeNull();
    expect((await store.reads.documents(text, { limit: 5 })).items).toEqual([]);
    expect((await store.reads.tasks({ workflow_id: text, limit: 5 })).items).toEqual([]);
    expect((await store.reads.runs({ name: text, limit: 5 })).items).toEqual([]);
    expect((await store.reads.events({ after: 0, limit: 5, task_id: text })).events).toEqual([]);
    const json = JSON.stringify({ [text]: text });
    await commit(store, { kind: 'submit', runs: [lone('t4', { params: json })] });
    expect((await store.reads.task('t4'))?.body.params).toBe(json);
  });
});

describe('a number that Postgres cannot hold', () => {
  it('is refused alone', async () => {
    const { verdicts } = await commit(
      store,
      { kind: 'submit', runs: [lone('t1')] },
      { kind: 'submit', runs: [lone('t2', { total_timeout: 1e300 })] },
      { kind: 'submit', runs: [lone('t3')] },
    );
    const codes = verdicts.map((verdict) => verdict.ok || verdict.error.data.error_code);
    expect(codes).toEqual([true, 'GLZ3009', true]);
    expect(await store.reads.task('t2')).toBeNull();
    expect((await store.reads.task('t3'))?.task.status).toBe('queued');
  });
});

describe('plans', () => {
  it('never read a whole table to change a few rows of it', async () => {
    const ids = Array.from({ length: 3000 }, (_, index) => `t${index}`);
    const claimed = await held(...ids);
    for (let at = 0; at < ids.length; at += 300) {
      await commit(store, ...claimed.slice(at, at + 300).map(({ task }) => settling(task, done())));
    }
    await commit(store, { kind: 'cancel_task', task_id: 't7', reason: null });
    // Sessions hand in their counts at the latest when they end.
    await store.close();
    await expect
      .poll(() =>
        query(
          database.url,
          `SELECT relname FROM pg_stat_user_tables WHERE seq_tup_read > 0
            AND relname IN ('task', 'task_body', 'ready', 'held', 'listed', 'event')`,
        ),
      )
      .toEqual([]);
  });
});
