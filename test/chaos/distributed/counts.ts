import pg from 'pg';

/** Tasks that are completed; null while the database is away. */
export function completions(url: string): Promise<number | null> {
  return ask(url, `SELECT count(*) AS n FROM gleitzeit.task WHERE status = 'completed'`);
}

/** Tasks that are not done with; -1 while the database is away. */
export async function openTasks(url: string): Promise<number> {
  const done = `('completed', 'failed', 'cancelled', 'skipped')`;
  return (await ask(url, `SELECT count(*) AS n FROM gleitzeit.task WHERE status NOT IN ${done}`)) ?? -1;
}

async function ask(url: string, sql: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  // The database may be killed meanwhile, which the query tells.
  client.on('error', () => {});
  try {
    await client.connect();
    return Number((await client.query<{ n: string }>(sql)).rows[0]?.n);
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}
