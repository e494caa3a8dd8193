import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { describe, expect, it } from 'vitest';
import { sharedService } from '../../test/services/shared.ts';
import { load } from '../config/testing.suite.ts';
import { SimulatedData } from '../store/simulated/data.ts';
import { openSimulatedStore } from '../store/simulated/store.ts';
import { graph } from '../store/suite/build.suite.ts';
import { done, Scene } from '../store/suite/scene.suite.ts';
import { withCache } from './cache.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const openStore = () => openSimulatedStore({ data: new SimulatedData(), clock: () => 1000, exclusive: true });

describe('a store with a cache', () => {
  it('is the store itself where the configuration names none', async () => {
    const store = openStore();
    expect(await withCache(store, await load(''), silent)).toBe(store);
    await store.close();
  });

  it('leaves what was read in the Redis that the configuration names, and can be written as before', async () => {
    const url = await sharedService('redis');
    const prefix = `${randomUUID()}:`;
    const config = await load(`cache: {url: "${url}", prefix: "${prefix}", ttl: 1m}`);
    const store = await withCache(openStore(), config, silent);
    const scene = new Scene({
      store,
      advance: async () => {},
      reopen: async () => store,
      close: () => store.close(),
    });
    await scene.join('e1');
    await scene.submit(graph('w', { a: {} }));
    await scene.drain('e1', () => done('"kept"'));
    const client = createClient({ url });
    await client.connect();
    await expect
      .poll(async () => {
        expect(await store.reads.result('w/a')).toMatchObject({ result: '"kept"' });
        return client.get(`${prefix}w/a`);
      })
      .toContain('kept');
    client.destroy();
    await store.close();
  });
});
