import pg from 'pg';
import { freshDatabase } from '../../../test/services/fresh-database.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { StoreHarness } from '../store.suite.ts';
import { openPostgresStore, type PostgresOptions } from './store.ts';

/** The real timers: what these tests wait for happens on a real server. */
export const timers: Timers = {
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  soon: (call) => {
    setImmediate(call);
  },
};

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export function openAt(url: string, options: Partial<PostgresOptions> = {}): Promise<Store> {
  return openPostgresStore({ url, timers, logger: silent, ...options });
}

/** Runs SQL on a connection of its own. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Moves the clock of a store: it is a function of the schema, and tests put another in its place. */
export async function moveClock(url: string, ms: number, schema = 'gleitzeit'): Promise<void> {
  await query(
    url,
    `CREATE OR REPLACE FUNCTION ${schema}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
      AS $$ SELECT floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint + ${ms} $$`,
  );
}

export function postgresHarness(server: () => string): StoreHarness {
  return {
    async open() {
      const database = await freshDatabase(server());
      const handles: Store[] = [];
      let moved = 0;
      const openAnother = async () => {
        const handle = await openAt(database.url, { poolSize: 2 });
        handles.push(handle);
        return handle;
      };
      const closeAll = () => Promise.all(handles.splice(0).map((handle) => handle.close()));
      return {
        store: await openAnother(),
        advance: (ms) => {
          moved += ms;
          return moveClock(database.url, moved);
        },
        reopen: async () => {
          await closeAll();
          return openAnother();
        },
        second: openAnother,
        close: async () => {
          await closeAll();
          await database.drop();
        },
      };
    },
  };
}
