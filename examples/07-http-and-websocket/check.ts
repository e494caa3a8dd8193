/** Starts both agents, runs the workflow over them, and looks at the result. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const env = { ...process.env, HTTP_PORT: await freePort(), WEBSOCKET_PORT: await freePort() };
const agents: ChildProcess[] = [];
try {
  await start('agents/http.js');
  await start('agents/websocket.js');
  const run = [program, 'run', 'workflow.gleitzeit.yaml', '--input', 'celsius=25', '-o', 'json'];
  const { status, results } = JSON.parse(execFileSync(process.execPath, run, { cwd, env, encoding: 'utf8' }));
  assert.equal(status, 'completed');
  assert.deepEqual(results, { convert: { fahrenheit: 77 }, sign: { text: 'It is 77 °F.' } });
  console.log(results.sign.text);
} finally {
  for (const agent of agents) agent.kill();
}

/** Resolves when it says that it listens. */
async function start(file: string): Promise<void> {
  const agent = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  agents.push(agent);
  await once(agent.stdout, 'data');
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
