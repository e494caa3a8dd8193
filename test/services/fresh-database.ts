import { randomUUID } from 'node:crypto';
import pg from 'pg';

export type FreshDatabase = {
  readonly url: string;
  /** Drops it, together with connections that are still open. */
  drop(): Promise<void>;
};

/** An empty database on the server of `url`, with a name nobody else uses. */
export async function freshDatabase(url: string): Promise<FreshDatabase> {
  const name = `gleitzeit_${randomUUID().replaceAll('-', '')}`;
  await execute(url, `CREATE DATABASE ${name}`);
  const database = new URL(url);
  database.pathname = `/${name}`;
  return { url: database.href, drop: () => execute(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
