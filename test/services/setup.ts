import type { TestProject } from 'vitest/node';
import { chromiumProgram } from './chromium.ts';
import { openDesk } from './desk.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server shared by the whole run: take an empty database of it with `freshDatabase`. */
    postgresUrl: string;
    /** The program of a browser. */
    chromium: string;
    /** Where `sharedService` asks for what only some tests need. */
    serviceDesk: string;
  }
}

/** Runs in vitest's main process, so that the servers live exactly as long as the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('chromium', await chromiumProgram());
  const desk = await openDesk();
  project.provide('serviceDesk', desk.path);
  const stopPostgres = await providePostgres(project);
  return async () => {
    await Promise.all([desk.close(), stopPostgres()]);
  };
}

async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['GLEITZEIT_TEST_POSTGRES_URL'];
  if (given !== undefined && given !== '') {
    project.provide('postgresUrl', given);
    return async () => {};
  }
  // Nothing here outlives a power cut: the tests kill processes, and what a process wrote stays in the page cache.
  const postgres = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
