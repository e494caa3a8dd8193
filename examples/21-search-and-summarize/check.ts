/** Starts the search engines and the models, runs the workflow on them several times, and looks at the results. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const ports = {
  FAILING_PORT: await freePort(),
  SLOW_PORT: await freePort(),
  OLLAMA_PORT: await freePort(),
  OPENAI_PORT: await freePort(),
};
const env = { ...process.env, ...ports };
const agents: ChildProcess[] = [];
let heard = '';
try {
  await start('agents/search-engines.js');
  await start('agents/models.js');
  for (let run = 0; run < 4; run++) {
    const command = [program, 'run', 'workflow.gleitzeit.yaml', '-o', 'json'];
    const { stdout } = await execute(process.execPath, command, { cwd, env });
    const { status, results } = JSON.parse(stdout);
    assert.equal(status, 'completed');
    assert.equal(results['search-task'].results[0].title, 'A first look at async');
    assert.equal(results['summarize-task'].text, '3 tutorials, from a first look to practice.');
    assert.equal(results['summarize-task'].model, 'llama2');
    if (run === 0) console.log(results['summarize-task'].text);
  }
  assert.match(heard, /failing: asked/);
  assert.match(heard, /slow: answers/);
} finally {
  for (const agent of agents) agent.kill();
}

/** Resolves when it says that it listens. */
async function start(file: string): Promise<void> {
  const agent = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  agents.push(agent);
  agent.stdout.setEncoding('utf8').on('data', (text) => {
    heard += text;
  });
  await once(agent.stdout, 'data');
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
