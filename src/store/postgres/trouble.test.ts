import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../../../test/services/postgres.ts';
import type { ChangeHint, Store } from '../../core/ports/store.ts';
import { lone } from '../suite/build.suite.ts';
import { cuttingProxy } from './cutting-proxy.suite.ts';
import { openAt, query } from './harness.suite.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const stores: Store[] = [];
afterAll(() => Promise.all(stores.map((store) => store.close())));

async function open(schema: string, options: Parameters<typeof openAt>[1] = {}): Promise<Store> {
  const store = await openAt(postgres.url, { schema, ...options });
  stores.push(store);
  return store;
}

function submit(store: Store, ...ids: readonly string[]) {
  return store.commit({ writes: [{ kind: 'submit', runs: ids.map((id) => lone(id)) }], claim: null });
}

function statusOf(store: Store, id: string): Promise<string | undefined> {
  return store.reads.task(id).then((found) => found?.task.status);
}

describe('a store whose server goes away', () => {
  it('fails at once while the server is down, and works again by itself when it is back', async () => {
    const store = await open('restarted');
    await submit(store, 't1');
    await postgres.crash();
    await expect(submit(store, 't2')).rejects.toMatchObject({ code: 'GLZ3001' });
    await expect(store.reads.task('t1')).rejects.toMatchObject({ code: 'GLZ3001' });
    await postgres.restart();
    await submit(store, 't3');
    expect(await statusOf(store, 't1')).toBe('queued');
    expect(await statusOf(store, 't2')).toBeUndefined();
    expect(await statusOf(store, 't3')).toBe('queued');
  });

  it('hears of changes again after a restart, and is told that it may have missed some', async () => {
    const [one, two] = [await open('listening'), await open('listening')];
    const heard: ChangeHint[] = [];
    let wake = () => {};
    one.onChange((hint) => {
      heard.push(hint);
      wake();
    });
    const more = () => new Promise<void>((resolve) => (wake = resolve));
    const reopened = more();
    await postgres.restart();
    await reopened;
    expect(heard).toEqual([{ ready: true, settled: true, revoked: true, documents: true, agents: true }]);
    // What is told while the other's connection is still away is told when it is back.
    const told = more();
    await submit(two, 't1');
    await told;
    expect(heard.at(-1)).toEqual({
      ready: true,
      settled: false,
      revoked: false,
      documents: false,
      agents: false,
    });
  });

  it('says that nothing was written when its connection is ended before the commit', async () => {
    const store = await open('ended');
    await submit(store, 't1');
    const lock = await holding(`SELECT FROM ended.task WHERE task_id = 't1' FOR UPDATE`);
    const cancel = store.commit({
      writes: [{ kind: 'cancel_task', task_id: 't1', reason: null }],
      claim: null,
    });
    const refused = expect(cancel).rejects.toMatchObject({
      code: 'GLZ3001',
      details: { reason: expect.stringMatching(/nothing was written/) },
    });
    await expect
      .poll(() =>
        query(
          postgres.url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'gleitzeit writer' AND wait_event_type = 'Lock'`,
        ),
      )
      .toHaveLength(1);
    await refused;
    await lock.release();
    await submit(store, 't2');
    expect(await statusOf(store, 't1')).toBe('queued');
  });

  it('says that the outcome is unknown when the answer to the commit is lost', async () => {
    const proxy = await cuttingProxy(Number(new URL(postgres.url).port));
    const store = await openAt(proxy.url, { schema: 'cut' });
    await submit(store, 't1');
    proxy.cutAfter('commit');
    await expect(submit(store, 't2')).rejects.toMatchObject({
      code: 'GLZ3001',
      details: { reason: expect.stringMatching(/unknown/) },
    });
    await submit(store, 't3');
    expect(await statusOf(store, 't2')).toBe('queued');
    await store.close();
    await proxy.close();
  });

  it('gives up on a lock that somebody else keeps, and goes on when it is free', async () => {
    const store = await open('locked', { statementTimeout: 400 });
    await submit(store, 't1');
    const lock = await holding(`SELECT FROM locked.task WHERE task_id = 't1' FOR UPDATE`);
    const cancel = () =>
      store.commit({ writes: [{ kind: 'cancel_task', task_id: 't1', reason: null }], claim: null });
    await expect(cancel()).rejects.toMatchObject({
      code: 'GLZ3001',
      message: expect.stringMatching(/in time/),
      details: { reason: expect.stringMatching(/nothing was written/) },
    });
    await lock.release();
    expect((await cancel()).verdicts).toMatchObject([{ ok: true, answer: { cancelled: true } }]);
  });
});

describe('a store whose server refuses', () => {
  it.each([
    ['53100', 'GLZ3003'],
    ['25006', 'GLZ3004'],
    ['XX001', 'GLZ3005'],
    ['57014', 'GLZ3001'],
    ['53300', 'GLZ3001'],
  ])('tells SQLSTATE %s as %s, writes nothing, and goes on afterwards', async (state, code) => {
    const schema = `refusing_${state.toLowerCase()}`;
    const store = await open(schema);
    await query(postgres.url, failing(schema, `RAISE EXCEPTION 'no' USING ERRCODE = '${state}';`));
    await expect(submit(store, 't1', 't2')).rejects.toMatchObject({ code });
    expect(await store.reads.cursor()).toBe(0);
    await query(postgres.url, `DROP TRIGGER fail ON ${schema}.event`);
    await submit(store, 't1');
    expect(await statusOf(store, 't1')).toBe('queued');
  });

  it.each(['40P01', '40001'])('tries the whole commit again after SQLSTATE %s', async (state) => {
    const schema = `conflicting_${state.toLowerCase()}`;
    const store = await open(schema);
    await query(
      postgres.url,
      `CREATE SEQUENCE ${schema}.tries; ${failing(
        schema,
        `IF nextval('${schema}.tries') < 4 THEN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END IF;`,
      )}`,
    );
    await submit(store, 't1');
    expect(await store.reads.cursor()).toBe(1);
    expect(await query(postgres.url, `SELECT last_value::int AS n FROM ${schema}.tries`)).toEqual([{ n: 4 }]);
  });

  it('works again when a server that only let us read lets us write again', async () => {
    const store = await open('reading');
    await query(postgres.url, 'ALTER DATABASE postgres SET default_transaction_read_only = on');
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'gleitzeit %'`;
    try {
      await query(postgres.url, cut);
      await expect.poll(() => submit(store, 't1').catch(({ code }) => code)).toBe('GLZ3004');
    } finally {
      await query(
        postgres.url,
        'BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT',
      );
    }
    await submit(store, 't1');
    expect(await statusOf(store, 't1')).toBe('queued');
  });
});

/** Something the server refuses at the last statement of every commit. */
function failing(schema: string, body: string): string {
  return `CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN ${body} RETURN NEW; END $$;
    CREATE TRIGGER fail BEFORE INSERT ON ${schema}.event FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.fail()`;
}

/** Runs a statement in a transaction that stays open. */
async function holding(sql: string): Promise<{ release(): Promise<void> }> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query(sql);
  return {
    async release() {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}
