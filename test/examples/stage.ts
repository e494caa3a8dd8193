import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/source/files.ts';

/** What stands beside the examples in a clone and is not changed by them. */
const beside = [
  'agents',
  'bin',
  'src',
  'scripts',
  'templates',
  'node_modules',
  'package.json',
  'schemas',
  'migrations',
];

export type Stage = { readonly folder: string; close(): Promise<void> };

/** A clone whose examples may be run in: what they leave behind goes with it. */
export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-examples-'));
  const filter = (path: string) => !path.endsWith('.gleitzeit');
  await cp(join(projectRoot, 'examples'), join(folder, 'examples'), { recursive: true, filter });
  for (const name of beside) await symlink(join(projectRoot, name), join(folder, name));
  return { folder, close: () => rm(folder, { recursive: true, force: true }) };
}
