import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRedis } from '../../../test/services/redis.ts';
import type { Restartable } from '../../../test/services/restartable.ts';
import type { Store, StoreReads } from '../../core/ports/store.ts';
import type { ResultRow } from '../../core/records.ts';
import { taskOutcomes } from '../../engine/outcomes.ts';
import { hashText } from '../hash.ts';
import { SimulatedData } from '../simulated/data.ts';
import { openSimulatedStore } from '../simulated/store.ts';
import { storeSuite } from '../store.suite.ts';
import { graph } from '../suite/build.suite.ts';
import { done, Scene } from '../suite/scene.suite.ts';
import { cachedReads } from './cached-reads.ts';
import { openRedisCache } from './redis.ts';
import type { ResultCache } from './result-cache.ts';

let server: Restartable;
beforeAll(async () => {
  server = await startRedis();
}, 300_000);
afterAll(() => server.stop());

const lines: string[] = [];
const note = (text: string) => void lines.push(text);
const logger = { debug() {}, info: note, warn: note, error: note };

/** A cache that is connected. */
async function openCache(ttl_ms = 60_000): Promise<{ cache: ResultCache; prefix: string }> {
  const prefix = `${randomUUID()}:`;
  const cache = await openRedisCache({ url: server.url, ttl_ms, prefix, logger });
  await kept(cache, row('probe'));
  return { cache, prefix };
}

function row(task_id: string, result = '{"n":1}'): ResultRow {
  return { task_id, run_key: task_id, result, hash: hashText(result), stored_at: 17 };
}

/** Puts it in until it is there. */
async function kept(cache: ResultCache, wanted: ResultRow): Promise<void> {
  await expect
    .poll(
      async () => {
        cache.put(wanted);
        return cache.get(wanted.task_id);
      },
      { timeout: 20_000 },
    )
    .toEqual(wanted);
}

async function openStore() {
  let now = 1_700_000_000_000;
  const data = new SimulatedData();
  const { cache } = await openCache();
  const open = (): Store => {
    const store = openSimulatedStore({ data, clock: () => now, exclusive: true });
    const reads = cachedReads(store.reads, cache);
    return {
      reads,
      commit: (request) => store.commit(request),
      onChange: (listener) => store.onChange(listener),
      close: () => store.close(),
    };
  };
  let store = open();
  return {
    store,
    advance: async (ms: number) => {
      now += ms;
    },
    reopen: async () => {
      await store.close();
      store = open();
      return store;
    },
    close: async () => {
      await store.close();
      cache.close();
    },
  };
}

storeSuite('a store behind a cache', { open: openStore });

describe('a cache of results', () => {
  const asked: string[] = [];
  let site: Awaited<ReturnType<typeof openCache>>;
  beforeEach(async () => {
    site = await openCache();
    asked.splice(0);
    lines.splice(0);
  });
  afterEach(() => site.cache.close());

  /** Reads behind the cache, of a store that has these results and notes what it is asked for. */
  function reads(...rows: readonly ResultRow[]): Pick<StoreReads, 'result'> {
    const inner = openSimulatedStore({ data: new SimulatedData(), clock: () => 0, exclusive: true }).reads;
    const result = async (task_id: string) => {
      asked.push(task_id);
      return rows.find((one) => one.task_id === task_id) ?? null;
    };
    return cachedReads({ ...inner, result }, site.cache);
  }

  it('answers instead of the store the second time, also on another engine', async () => {
    const behind = reads(row('a'));
    expect(await behind.result('a')).toEqual(row('a'));
    await kept(site.cache, row('a'));
    const other = await openRedisCache({ url: server.url, ttl_ms: 60_000, prefix: site.prefix, logger });
    await expect.poll(() => other.get('a')).toEqual(row('a'));
    expect([await behind.result('a'), await behind.result('a')]).toEqual([row('a'), row('a')]);
    expect(asked).toEqual(['a']);
    other.close();
  });

  it('keeps nothing of what has no result yet, and of what is too long', async () => {
    const long = row('long', JSON.stringify('x'.repeat(300_000)));
    const behind = reads(long);
    for (const id of ['open', 'open', 'long', 'long']) await behind.result(id);
    await kept(site.cache, row('later'));
    expect(await behind.result('open')).toBeNull();
    expect(await behind.result('long')).toEqual(long);
    expect(asked).toEqual(['open', 'open', 'long', 'long', 'open', 'long']);
  });

  it('keeps it for a time', async () => {
    await kept(site.cache, row('a'));
    const client = createClient({ url: server.url });
    await client.connect();
    const left = await client.pTTL(`${site.prefix}a`);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    client.destroy();
  });

  it('is not believed where it holds something else', async () => {
    const client = createClient({ url: server.url });
    await client.connect();
    const behind = reads(row('a'));
    const wrong = ['', '{', 'null', '[]', '{}', '"a"', JSON.stringify(row('b'))];
    for (const text of [...wrong, JSON.stringify({ ...row('a'), result: '{"n":2}' })]) {
      await client.set(`${site.prefix}a`, text);
      expect(await behind.result('a')).toEqual(row('a'));
    }
    expect(asked.length).toBe(wrong.length + 1);
    client.destroy();
  });

  it('is done without while it is away or hangs, which is said once', async () => {
    const behind = reads(row('a'));
    await kept(site.cache, row('a'));
    await server.freeze(true);
    expect(await behind.result('a')).toEqual(row('a'));
    await server.freeze(false);
    await server.crash();
    for (let times = 0; times < 20; times += 1) expect(await behind.result('a')).toEqual(row('a'));
    await expect.poll(() => lines.length).toBe(1);
    await server.restart();
    await expect
      .poll(() => lines, { timeout: 20_000 })
      .toEqual(['the cache of results is away; they come from the store', 'the cache of results is back']);
    await kept(site.cache, row('a'));
  });

  it('leads nobody to results of a run that was removed', async () => {
    const scene = new Scene(await openStore());
    await scene.join('e1');
    await scene.submit(graph('w', { a: {} }));
    await scene.drain('e1', () => done('"kept"'));
    const timers = { after: () => () => {}, soon: (call: () => void) => void setImmediate(call) };
    const ask = () => taskOutcomes(scene.store, timers).wait('w/a', 0);
    expect(await ask()).toMatchObject({ status: 'completed', result: '"kept"' });
    await scene.open.advance(86_400_000);
    await scene.write({ kind: 'prune', keep_ms: 1000, limit: 100 });
    expect(await ask()).toBeNull();
    await scene.open.close();
  });
});
