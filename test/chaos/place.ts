import { join } from 'node:path';
import type { StoreOptions } from '../../src/index.ts';
import { freshDatabase, startPostgres } from '../services/postgres.ts';

export type Place = { readonly store: StoreOptions; close(): Promise<void> };

/** An empty store: a file in the folder, or a database of its own. */
export async function openPlace(store: 'sqlite' | 'postgres', folder: string): Promise<Place> {
  if (store === 'sqlite') {
    return { store: { type: 'sqlite', path: join(folder, 'store.db') }, close: async () => {} };
  }
  const given = process.env['GLEITZEIT_TEST_POSTGRES_URL'];
  const server = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  const database = await freshDatabase(server.url);
  const close = async () => {
    await database.drop();
    await server.stop();
  };
  return { store: { type: 'postgres', url: database.url }, close };
}
