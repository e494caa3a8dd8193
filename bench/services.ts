import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from './service.ts';
import { startPostgres } from './services/postgres.ts';
import { startRedis } from './services/redis.ts';
import { startRestate } from './services/restate.ts';
import type { Place, Store } from './store.ts';

const STARTERS: Record<Store, (directory: string) => Promise<Service>> = {
  sqlite: async (directory) => ({ url: join(directory, 'bench.sqlite'), stop: async () => {} }),
  postgres: startPostgres,
  redis: startRedis,
  restate: startRestate,
};

/** Gives `use` a store nobody has written to, and leaves nothing of it behind. */
export async function withStore<T>(
  store: Store,
  use: (place: Omit<Place, 'space'>) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), `gleitzeit-bench-${store}-`));
  try {
    const { url, adminUrl, stop } = await STARTERS[store](directory);
    try {
      return await use({ store, url, ...(adminUrl === undefined ? {} : { adminUrl }) });
    } finally {
      await stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
