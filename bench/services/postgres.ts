import { startPostgres as startServer } from '../../test/services/postgres.ts';
import type { Service } from '../service.ts';

/** Server settings are Postgres' own defaults; the ones named here are for durability and for many connections. */
const settings = { synchronous_commit: 'on', fsync: 'on', max_connections: '200', shared_buffers: '128MB' };

export async function startPostgres(): Promise<Service> {
  const { url, stop } = await startServer({ settings });
  return { url, stop };
}
