import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../scripts/source/files.ts';
import { readersEnvironment } from './documents/environment.ts';
import { follow } from './documents/follow.ts';
import { openStage } from './examples/stage.ts';
import { freePort } from './services/free-port.ts';

const run = promisify(execFile);

/** What the README says to paste while `npm start` runs. */
async function pasted(): Promise<string> {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
  const [, block] = /<!-- readme:api -->\n```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  if (block === undefined) throw new Error('README.md has no block after <!-- readme:api -->');
  return block;
}

describe('the first screen', () => {
  it('is killed with -9 and goes on', { timeout: 180_000 }, async () => {
    const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
    const [, block = ''] = /<!-- readme:kill -->\n```sh\n([\s\S]*?)```/.exec(readme) ?? [];
    const [install = '', ...rest] = block.split('\n');
    // test/tutorial.test.ts installs; here it is.
    expect(install).toMatch(/^npm ci\b/);
    const shown = [
      '```sh',
      ...rest,
      '```',
      '```text',
      '…',
      'completed, 4/4 tasks, 12 s',
      'bill:',
      '…',
      '```',
    ];
    const stage = await openStage();
    const page = shown.join('\n');
    await follow(page, { folder: stage.folder, env: readersEnvironment() }).finally(() => stage.close());
  });
});

describe('npm start and what the README says to paste', () => {
  let folder: string;
  let port: number;
  let stop: () => Promise<unknown>;
  const said: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gleitzeit-readme-'));
    port = await freePort();
    const child = spawn(process.execPath, [join(projectRoot, 'bin/gleitzeit.js'), 'start'], {
      cwd: folder,
      env: { ...process.env, GLEITZEIT_SERVER_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(child, 'exit');
    stop = () => {
      child.kill('SIGINT');
      return gone;
    };
    const ready = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      if (line.startsWith('Ctrl-C')) ready.resolve();
    });
    void gone.then(() => ready.reject(new Error(`it ended:\n${said.join('\n')}`)));
    await ready.promise;
  }, 60_000);

  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('says that the demo has run, and what to paste works', async () => {
    expect(said.join('\n')).toContain('is completed, 2 of 2 tasks');
    const asked = said.filter((line) => line.startsWith('  curl -s '));
    expect(asked).toHaveLength(1);
    for (const command of asked) {
      const { stdout } = await run('bash', ['-c', command]);
      expect(JSON.parse(stdout)).toMatchObject({ jsonrpc: '2.0', id: 1, result: expect.any(Object) });
    }
    const typed = said.filter((line) => line.startsWith('  npx gleitzeit '));
    expect(typed.length).toBeGreaterThan(2);
    const program = `"${process.execPath}" "${join(projectRoot, 'bin/gleitzeit.js')}"`;
    for (const command of typed) {
      const { stdout } = await run('bash', ['-c', command.replace('npx gleitzeit', program)], {
        cwd: folder,
      });
      expect(stdout, command).not.toBe('');
    }
  });

  it("answers the seed's calls with the shapes clients count on", async () => {
    const script = (await pasted()).replaceAll('localhost:8000', `localhost:${port}`);
    const { stdout } = await run('bash', ['-c', script]).catch((error: { stdout: string }) => error);
    const answers = stdout.match(/\{"jsonrpc".*?"id":"\d"\}/g)?.map((text) => JSON.parse(text));
    const task_id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const results = { 'search-task': { total: 2 }, 'summarize-task': { text: expect.any(String) } };
    expect(answers).toMatchObject([
      { id: '1', result: { task_id, status: expect.any(String) } },
      { id: '2', result: { task_id, protocol: 'web-search/v1', attempts: expect.any(Array), error: null } },
      {
        id: '3',
        result: { status: 'running', tasks: { 'search-task': task_id, 'summarize-task': task_id } },
      },
      { id: '4', result: { status: 'completed', results } },
      { id: '5', result: { items: [], next_cursor: null } },
    ]);
    expect(stdout).toContain('event: workflow:completed');
  });
});
