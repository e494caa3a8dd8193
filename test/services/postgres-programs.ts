import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, installOnDebian, searchPath } from './debian.ts';

const debianFolder = '/usr/lib/postgresql';
const debianPackage = 'postgresql-15';
const remedy = 'install PostgreSQL 15 or later, or name a server in GLEITZEIT_TEST_POSTGRES_URL';

/** The folder with initdb and postgres; on Debian they are installed when missing. */
export async function postgresPrograms(): Promise<string> {
  const found = await findPrograms();
  if (found !== undefined) return found;
  await installOnDebian(debianPackage, remedy);
  const installed = await findPrograms();
  if (installed === undefined) throw new Error(`${debianPackage} is installed but has no postgres program`);
  return installed;
}

async function findPrograms(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch(() => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
  const ofVersions = newestFirst.map((version) => join(debianFolder, version, 'bin'));
  for (const folder of [...ofVersions, ...searchPath()])
    if ((await exists(join(folder, 'postgres'))) && (await exists(join(folder, 'initdb')))) return folder;
  return undefined;
}
