import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run } from './process.ts';

const debianFolder = '/usr/lib/postgresql';
const debianPackage = 'postgresql-15';

/** The folder with initdb and postgres; on Debian they are installed when missing. */
export async function postgresPrograms(): Promise<string> {
  const found = await findPrograms();
  if (found !== undefined) return found;
  await installOnDebian();
  const installed = await findPrograms();
  if (installed === undefined) throw new Error(`${debianPackage} is installed but has no postgres program`);
  return installed;
}

async function findPrograms(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch(() => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  for (const folder of [...newestFirst.map((version) => join(debianFolder, version, 'bin')), ...onPath])
    if ((await exists(join(folder, 'postgres'))) && (await exists(join(folder, 'initdb')))) return folder;
  return undefined;
}

async function installOnDebian(): Promise<void> {
  const remedy = 'install PostgreSQL 15 or later, or name a server in GLEITZEIT_TEST_POSTGRES_URL';
  if (process.getuid?.() !== 0 || !(await onPath('apt-get')))
    throw new Error(`The tests need PostgreSQL and there is none: ${remedy}.`);
  process.stderr.write(`Installing ${debianPackage} …\n`);
  // RUNLEVEL=1 keeps Debian from starting a server of its own.
  const env = ['RUNLEVEL=1', 'DEBIAN_FRONTEND=noninteractive'];
  const quietly = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
  try {
    await run('env', [...env, 'apt-get', 'update']);
    await run('env', [...env, 'apt-get', 'install', ...quietly, debianPackage]);
  } catch (error) {
    throw new Error(`${debianPackage} could not be installed: ${remedy}.`, { cause: error });
  }
}

async function onPath(program: string): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return (await Promise.all(folders.map((folder) => exists(join(folder, program))))).includes(true);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
