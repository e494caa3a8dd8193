import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from '../services.ts';
import { installPackage } from './debian.ts';
import { freePort, isRoot, launch } from './program.ts';

const VERSIONS = '/usr/lib/postgresql';

/** Server settings are Postgres' own defaults; the ones named here are for durability and for many connections. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  synchronous_commit: 'on',
  fsync: 'on',
  max_connections: '200',
};

export async function startPostgres(directory: string): Promise<Service> {
  const binaries = findBinaries();
  const port = await freePort();
  const data = join(directory, 'pg');
  await chmod(directory, 0o755);
  await mkdir(data, { mode: 0o700 });
  initialise(binaries, data);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { stop } = await launch({
    command: join(binaries, 'postgres'),
    args: ['-D', data, '-p', String(port), ...settings],
    cwd: directory,
    ready: /ready to accept connections/,
    stopSignal: 'SIGINT',
    asNobody: true,
  });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}

function findBinaries(): string {
  if (!existsSync(VERSIONS)) installPackage('postgresql-15');
  const [newest] = readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a));
  if (newest === undefined) throw new Error(`no PostgreSQL in ${VERSIONS}`);
  return join(VERSIONS, newest, 'bin');
}

function initialise(binaries: string, data: string): void {
  const initdb = [join(binaries, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'];
  const nobody = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups', '--'];
  if (isRoot()) spawnSync('chown', ['nobody:nogroup', data]);
  const [command = '', ...args] = [...(isRoot() ? nobody : []), ...initdb, '--locale=C.UTF-8', '-N'];
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
}
