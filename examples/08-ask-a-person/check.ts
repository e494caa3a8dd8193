/** Runs the workflow until it asks, answers, and finds that it went on with the answer and not from the beginning. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
rmSync(`${cwd}/.gleitzeit`, { recursive: true, force: true });
const env = { ...process.env, EDITOR_PORT: await freePort() };
const editor = spawn(process.execPath, ['agents/editor.js'], {
  cwd,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await once(editor.stdout, 'data');
  const ended = await execute(process.execPath, [program, 'run', 'workflow.gleitzeit.yaml'], {
    cwd,
    env,
  }).catch((thrown) => thrown);
  assert.equal(ended.code, 12, ended.stderr);

  const { items } = await gleitzeit('list', '--tasks', '--status', 'input_required', '-o', 'json');
  assert.equal(items.length, 1);
  const [{ task_id, workflow_id }] = items;
  const { waiting_for } = await gleitzeit('status', task_id, '-o', 'json');
  assert.equal(waiting_for.kind, 'input');
  assert.match(waiting_for.ask.text, /^Publish "Bees are back"\?/);

  await gleitzeit('respond', task_id, 'Bees are back in town', '-o', 'json');
  const { status, results } = await gleitzeit('watch', workflow_id, '-o', 'json');
  assert.equal(status, 'completed');
  assert.equal(results.post.text, 'Bees are back in town');
  assert.equal(results.count.text, '5');
  console.log(`asked, answered, and then: ${results.post.text}`);
} finally {
  editor.kill();
}

async function gleitzeit(...args: string[]) {
  const { stdout } = await execute(process.execPath, [program, ...args], { cwd, env });
  return JSON.parse(stdout);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
