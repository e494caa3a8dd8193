import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/services/postgres.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Write } from '../../core/writes.ts';
import { graph, LANE, lone } from '../suite/build.suite.ts';
import { done, settling, starting, the } from '../suite/scene.suite.ts';
import { openAt, query } from './harness.suite.ts';

let database: FreshDatabase;
let store: Store;
let other: Store;
beforeEach(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  store = await openAt(database.url, { poolSize: 1 });
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

const joining: Write = { kind: 'join', owner: 'e1', ttl_ms: 60_000 };

/** Does what a claim does and keeps its transaction open, as one would that is just committing. */
async function halfClaimed(task_id: string): Promise<() => Promise<void>> {
  const claimer = new pg.Client({ connectionString: database.url });
  await claimer.connect();
  await claimer.query('SET search_path TO gleitzeit; BEGIN');
  const ofTask = `(SELECT n FROM task WHERE task_id = '${task_id}')`;
  await claimer.query(`DELETE FROM ready WHERE n = ${ofTask}`);
  await claimer.query(`INSERT INTO held (n, owner, fence) VALUES (${ofTask}, 'e1', 1)`);
  return async () => {
    await claimer.query('COMMIT');
    await claimer.end();
  };
}

function waitingForLock() {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  return expect.poll(() => query(database.url, waiting)).toHaveLength(1);
}

describe('a claim that is about to be committed', () => {
  it('is waited for by a cancel, which then takes the task from the engine', async () => {
    await commit(store, joining, { kind: 'submit', runs: [lone('t1')] });
    const claim = await halfClaimed('t1');
    const cancelling = commit(store, { kind: 'cancel_task', task_id: 't1', reason: null });
    await waitingForLock();
    await claim();
    const { verdicts, revoked } = await cancelling;
    expect(verdicts).toMatchObject([{ ok: true, answer: { status: 'cancelled', cancelled: true } }]);
    expect(revoked).toEqual([{ task_id: 't1', owner: 'e1' }]);
    expect(await query(database.url, 'SELECT * FROM gleitzeit.held')).toEqual([]);
  });

  it('is waited for by the cancel of its run', async () => {
    await commit(store, joining, { kind: 'submit', runs: [graph('w1', { a: {}, b: { after: ['a'] } })] });
    const claim = await halfClaimed('w1/a');
    const cancelling = commit(other, { kind: 'cancel_run', workflow_id: 'w1', reason: null });
    await waitingForLock();
    await claim();
    expect((await cancelling).revoked).toEqual([{ task_id: 'w1/a', owner: 'e1' }]);
    expect(await query(database.url, 'SELECT * FROM gleitzeit.held')).toEqual([]);
  });
});

describe('a claim that is remembered', () => {
  const claim = { owner: 'e1', limit: 5, lanes: [LANE] };

  it.each(['settle', 'start'] as const)(
    'does not pass for the next one of the same engine: %s',
    async (kind) => {
      const run = { kind: 'submit', runs: [lone('t1')] } as const;
      const [first] = (await store.commit({ writes: [joining, run], claim })).claimed;
      const { task_id, fence } = the(first).task;
      // Given back and taken again without a word: nothing but the fence tells the two claims apart.
      const back = { kind: 'release', owner: 'e1', leases: [{ task_id, fence }] } as const;
      await commit(other, back);
      const [second] = (await other.commit({ writes: [], claim })).claimed;
      expect(the(second).task).toMatchObject({ task_id, fence: fence + 1, seq: the(first).task.seq });
      const late = kind === 'settle' ? settling(the(first).task, done()) : starting(the(first).task);
      const { verdicts } = await commit(store, late);
      const refused = kind === 'settle' ? { recorded: false, status: 'queued' } : { started: false };
      expect(verdicts).toMatchObject([{ ok: true, answer: refused }]);
      expect(await query(database.url, 'SELECT fence::int, owner FROM gleitzeit.held')).toEqual([
        { fence: fence + 1, owner: 'e1' },
      ]);
    },
  );
});

describe('writers that touch the same things in opposite order', () => {
  it('wait for each other and never for themselves', async () => {
    const names = Array.from({ length: 30 }, (_, index) => index);
    const runs = names.map((index) => graph(`w${index}`, { a: {}, b: {}, c: { after: ['a', 'b'] } }));
    const tasks = names.map((index) => lone(`t${index}`));
    const { claimed } = await store.commit({
      writes: [joining, { kind: 'submit', runs: [...runs, ...tasks] }],
      claim: { owner: 'e1', limit: 999, lanes: [LANE] },
    });
    const settles = (id: string) =>
      claimed.filter(({ task }) => task.id.startsWith(id)).map(({ task }) => settling(task, done()));
    const cancels = names.map(
      (index): Write => ({ kind: 'cancel_task', task_id: `t${index}`, reason: null }),
    );
    const answers = await Promise.all([
      commit(store, ...settles('a'), ...settles('t')),
      commit(other, ...cancels.toReversed(), ...settles('b').toReversed()),
      commit(store, ...settles('t').toReversed()),
    ]);
    const refused = answers.flatMap(({ verdicts }) => verdicts).filter(({ ok }) => !ok);
    expect(refused).toEqual([]);
    for (const index of names) {
      expect(the(await store.reads.run(`w${index}`)).run).toMatchObject({ open: 1, failed: 0 });
    }
    // Sessions hand in their counts at the latest when they end.
    await Promise.all([store.close(), other.close()]);
    const deadlocks = `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`;
    expect(await query(database.url, deadlocks)).toEqual([{ deadlocks: 0 }]);
  });
});
