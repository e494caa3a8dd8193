import { join } from 'node:path';
import type { StoreOptions } from '../../src/index.ts';
import { freshDatabase, type Postgres, startPostgres } from '../services/postgres.ts';
import type { ChaosOptions } from './arguments.ts';

export type Place = {
  readonly store: StoreOptions;
  /** Where it may be killed. */
  readonly postgres: Postgres | null;
  close(): Promise<void>;
};

/** An empty store: a file in the folder, or a database of its own. */
export async function openPlace({ store, target }: ChaosOptions, folder: string): Promise<Place> {
  if (target === 'distributed') {
    const postgres = await startPostgres();
    return { store: { type: 'postgres', url: postgres.url }, postgres, close: () => postgres.stop() };
  }
  if (store === 'sqlite') {
    const close = async () => {};
    return { store: { type: 'sqlite', path: join(folder, 'store.db') }, postgres: null, close };
  }
  const given = process.env['GLEITZEIT_TEST_POSTGRES_URL'];
  const server = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  const database = await freshDatabase(server.url);
  const close = async () => {
    await database.drop();
    await server.stop();
  };
  return { store: { type: 'postgres', url: database.url }, postgres: null, close };
}
