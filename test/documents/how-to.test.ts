import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { blocksOf } from '../../scripts/documents/blocks.ts';
import { allPages } from '../../scripts/documents/pages.ts';
import { openStage } from '../examples/stage.ts';
import { installOnDebian, isInstalled } from '../services/debian.ts';
import { freePort } from '../services/free-port.ts';
import { readersEnvironment } from './environment.ts';
import { follow } from './follow.ts';

/** Pages that bring their files along can be followed to the letter; the others show parts. */
const pages = allPages().filter(
  ({ path, text }) =>
    path.startsWith('docs/how-to/') && blocksOf(text).some(({ attributes }) => 'file' in attributes),
);

beforeAll(async () => {
  if (!(await isInstalled('python3'))) await installOnDebian('python3', 'install Python 3');
  if (!(await isInstalled('go'))) await installOnDebian('golang-go', 'install Go 1.19 or later');
});

it.each(pages)('$path works when it is followed to the letter', { timeout: 240_000 }, async ({ text }) => {
  const stage = await openStage();
  const folder = join(stage.folder, 'reader');
  await mkdir(folder);
  const instead = new Map<string, string>();
  for (const port of ['9101', '9102', '9103', '9104']) instead.set(port, String(await freePort()));
  const done = follow(text, { folder, env: readersEnvironment(), instead });
  const { outputs } = await done.finally(() => stage.close());
  expect(outputs).toBeGreaterThan(0);
});
