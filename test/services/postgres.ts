import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { postgresPrograms } from './postgres-programs.ts';
import { run, type Service, startService, unprivilegedUser } from './process.ts';
import { childrenOf, killAll } from './process-tree.ts';

export { type FreshDatabase, freshDatabase } from './fresh-database.ts';

export type Postgres = {
  readonly url: string;
  /** Starts it again on the same port and data, after a crash or instead of the running one. */
  restart(): Promise<void>;
  /** Ends it as a crash would: no goodbye to clients, no checkpoint. */
  crash(): Promise<void>;
  /** kill -9, of the server and of everything it has started. */
  kill(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
};

export type PostgresOptions = { readonly settings?: Readonly<Record<string, string>> };

const loopbackOnly = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };
const testSettings = { shared_buffers: '32MB', max_connections: '100', lc_messages: 'C' };

/** A server of its own in a temporary folder; it ends with the process that called. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-postgres-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const start = await prepare(folder, options);
    let server = await start.server();
    return {
      url: start.url,
      async restart() {
        await server.end('SIGINT');
        server = await start.server();
      },
      crash: () => server.end('SIGQUIT'),
      kill: () => killWhole(server),
      async stop() {
        await server.end('SIGINT');
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The server first, which would start again what it misses; while any of the others is left, a new one refuses the data. */
async function killWhole(server: Service): Promise<void> {
  const children = await childrenOf(server.pid);
  await server.end('SIGKILL');
  await killAll(children);
}

async function prepare(folder: string, options: PostgresOptions) {
  const programs = await postgresPrograms();
  const user = await unprivilegedUser();
  const data = join(folder, 'data');
  await chmod(folder, 0o755);
  await mkdir(data, { mode: 0o700 });
  if (user !== undefined) await chown(data, user.uid, user.gid);
  const cluster = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
  await run(join(programs, 'initdb'), cluster, user);

  const port = await freePort();
  const settings = { ...loopbackOnly, ...testSettings, ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = (): Promise<Service> =>
    startService({
      command: join(programs, 'postgres'),
      args: ['-D', data, '-p', String(port), ...flags],
      ready: /database system is ready to accept connections/,
      user,
    });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, server };
}
