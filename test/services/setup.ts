import type { TestProject } from 'vitest/node';
import { chromiumProgram } from './chromium.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server shared by the whole run: take an empty database of it with `freshDatabase`. */
    postgresUrl: string;
    /** The program of a browser. */
    chromium: string;
  }
}

/** Runs in vitest's main process, so that the server lives exactly as long as the run. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('chromium', await chromiumProgram());
  const given = process.env['GLEITZEIT_TEST_POSTGRES_URL'];
  if (given !== undefined && given !== '') {
    project.provide('postgresUrl', given);
    return undefined;
  }
  // Nothing here outlives a power cut: the tests kill processes, and what a process wrote stays in the page cache.
  const postgres = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
