import { type Config, openSecret } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ResultCache } from '../store/cache/result-cache.ts';
import type { OpenedStore } from './store.ts';

/** The store, with results from a cache where the configuration names one. Its driver is loaded only then. */
export async function withCache(store: OpenedStore, config: Config, logger: Logger): Promise<OpenedStore> {
  if (config.cache.url === undefined) return store;
  const { cachedReads } = await import('../store/cache/cached-reads.ts');
  const cache = await openCache(config, logger).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const { setAddress } = store;
  return {
    commit: (request) => store.commit(request),
    reads: cachedReads(store.reads, cache),
    onChange: (listener) => store.onChange(listener),
    close: async () => {
      cache.close();
      await store.close();
    },
    ...(setAddress === undefined ? {} : { setAddress: (address) => setAddress.call(store, address) }),
  };
}

async function openCache({ cache, secrets }: Config, logger: Logger): Promise<ResultCache> {
  const { url = '', username, password, ttl, prefix } = cache;
  const { openRedisCache } = await import('../store/cache/redis.ts');
  const filled = (text: string) =>
    text.replaceAll(/\$\{secrets\.([\w-]+)\}/g, (_, name: string) => openSecret(secrets, name));
  return openRedisCache({
    ...{ url, prefix, logger, ttl_ms: ttl * 1000 },
    ...(username === undefined ? {} : { username: filled(username) }),
    ...(password === undefined ? {} : { password: filled(password) }),
  });
}
