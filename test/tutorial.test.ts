import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../scripts/source/files.ts';
import { readersEnvironment } from './documents/environment.ts';
import { follow } from './documents/follow.ts';
import { freePort } from './services/free-port.ts';

const execute = promisify(execFile);

describe('docs/tutorial', () => {
  let clone: string;
  beforeAll(async () => {
    clone = await emptyClone();
  });
  afterAll(() => rm(clone, { recursive: true, force: true }));

  it('works when it is followed to the letter in an empty clone', { timeout: 900_000 }, async () => {
    const page = await readFile(join(projectRoot, 'docs/tutorial/README.md'), 'utf8');
    // Others may use the usual port on this machine.
    const port = String(await freePort());
    const { blocks, outputs } = await follow(page, {
      folder: clone,
      env: { ...readersEnvironment(), GLEITZEIT_SERVER_PORT: port },
      instead: new Map([
        ['127.0.0.1:8000', `127.0.0.1:${port}`],
        ['localhost:8000', `localhost:${port}`],
      ]),
    });
    expect(blocks).toBeGreaterThan(30);
    expect(outputs).toBeGreaterThan(10);
  });
});

/** What a clone has: every file that git knows or would take, as it is now, and nothing that was installed. */
async function emptyClone(): Promise<string> {
  const clone = await mkdtemp(join(tmpdir(), 'gleitzeit-clone-'));
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await execute('git', listed, { cwd: projectRoot, maxBuffer: 16 * 1024 * 1024 });
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    await mkdir(dirname(join(clone, file)), { recursive: true });
    // A file that was removed and not yet committed is listed all the same.
    await cp(join(projectRoot, file), join(clone, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return clone;
}
