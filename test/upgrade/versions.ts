import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadMigrations } from '../../src/store/migrations.ts';
import { run } from '../services/process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The program as some version of it has it. */
export type Version = { readonly name: string; readonly program: string };

export const present: Version = { name: 'present', program: join(root, 'bin/gleitzeit.js') };

/** The last commit whose tables are one migration older than those of today. */
const PREVIOUS = '2674a89a04eac65855d0b8a6d30eb0918323bc7d';

/** Why this copy of the project cannot be asked for that commit: a shallow clone has no history, an unpacked archive no git. */
export async function whyNoPrevious(): Promise<string | null> {
  const there = await run('git', ['-C', root, 'cat-file', '-e', `${PREVIOUS}^{commit}`]).then(
    () => true,
    () => false,
  );
  return there
    ? null
    : `the commit ${PREVIOUS} is not in this copy; git fetch --unshallow brings the whole history`;
}

/** As it was committed, with the packages of today. */
export async function previousVersion(folder: string): Promise<Version> {
  await mkdir(folder);
  const archive = join(folder, 'tree.tar');
  const parts = ['bin', 'migrations', 'package.json', 'src'];
  await run('git', ['-C', root, 'archive', '--output', archive, PREVIOUS, ...parts]);
  await run('tar', ['-x', '-f', archive, '-C', folder]);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return { name: 'previous', program: join(folder, 'bin/gleitzeit.js') };
}

/** As it is today with one migration more, which leaves those of today beside it. */
export async function nextVersion(folder: string): Promise<Version> {
  await mkdir(folder);
  for (const part of ['bin', 'migrations', 'package.json', 'src', 'types', 'runners'])
    await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const newest = loadMigrations('postgres').length;
  const file = join(folder, `migrations/postgres/${String(newest + 1).padStart(4, '0')}_more`);
  const up = `-- beside: ${newest}\nALTER TABLE task ADD COLUMN more integer;\nCREATE TABLE more (n integer);\n`;
  await writeFile(`${file}.up.sql`, up);
  await writeFile(`${file}.down.sql`, 'DROP TABLE more;\nALTER TABLE task DROP COLUMN more;\n');
  return { name: 'next', program: join(folder, 'bin/gleitzeit.js') };
}
