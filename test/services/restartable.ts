import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from './process.ts';

/** A server of its own in a temporary folder; it ends with the process that called. */
export type Restartable = {
  readonly url: string;
  /** Of its process at the moment. */
  readonly pid: number;
  /** Starts it again on the same port and data, after a crash or instead of the running one. */
  restart(): Promise<void>;
  /** kill -9. */
  crash(): Promise<void>;
  /** Stops it in its tracks: connections stay and nothing answers, until it goes on. */
  freeze(frozen: boolean): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
};

type Prepared = { readonly url: string; readonly start: () => Promise<Service> };

/** `prepare` gets the folder, and says how the server is started there, the first time and again. */
export async function startRestartable(
  name: string,
  prepare: (folder: string) => Promise<Prepared>,
): Promise<Restartable> {
  const folder = await mkdtemp(join(tmpdir(), `gleitzeit-${name}-`));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  try {
    const { url, start } = await prepare(folder);
    let server = await start();
    return {
      url,
      get pid() {
        return server.pid;
      },
      async restart() {
        await server.end('SIGTERM');
        server = await start();
      },
      crash: () => server.end('SIGKILL'),
      freeze: (frozen) => server.freeze(frozen),
      async stop() {
        // Nothing of it is wanted any more.
        await server.end('SIGKILL');
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
