import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const POLL_MS = 5;

/** Waits until a `select count(*) as count` over the store itself says so: handlers having run is not enough. */
export async function untilCount(url: string, select: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    while (Number((await client.query<{ count: string }>(select)).rows[0]?.count) !== count)
      await pause(POLL_MS);
  } finally {
    await client.end();
  }
}
