/** Starts the three agents, and finds that each of them gives the same texts in every dialect. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-agents-'));
const agents: ChildProcess[] = [];
/** In every row each agent speaks another dialect; in every column it has spoken all. */
const rows = [
  ['jsonrpc-2.0', 'simple-a2a', 'auto'],
  ['simple-a2a', 'auto', 'jsonrpc-2.0'],
  ['auto', 'jsonrpc-2.0', 'simple-a2a'],
];
try {
  const go = join(folder, 'agent');
  await execute('go', ['build', '-o', go, '.'], { cwd: join(cwd, '../../agents/go') });
  const urls = {
    PYTHON_URL: await start('python3', join(cwd, '../../agents/python/agent.py')),
    NODE_URL: await start(process.execPath, join(cwd, '../../agents/node/agent.mjs')),
    GO_URL: await start(go),
  };
  for (const [PYTHON_SPEAKS, NODE_SPEAKS, GO_SPEAKS] of rows) {
    const env = { ...process.env, ...urls, PYTHON_SPEAKS, NODE_SPEAKS, GO_SPEAKS };
    const command = [program, 'run', 'workflow.gleitzeit.yaml', '-o', 'json', '--progress', 'none'];
    const { stdout } = await execute(process.execPath, command, { cwd, env });
    const { status, results } = JSON.parse(stdout);
    assert.equal(status, 'completed');
    const texts = Object.entries<{ text: string }>(results).map(([task, { text }]) => [task, text]);
    assert.deepEqual(Object.fromEntries(texts), {
      shout: 'THE QUICK BROWN FOX',
      mirror: 'XOF NWORB KCIUQ EHT',
      count: '4',
      back: 'THE QUICK BROWN FOX',
      report: 'THE QUICK BROWN FOX: 4 words',
    });
    console.log(`${PYTHON_SPEAKS}, ${NODE_SPEAKS}, ${GO_SPEAKS}: ${results.report.text}`);
  }
} finally {
  for (const agent of agents) agent.kill();
  await rm(folder, { recursive: true, force: true });
}

/** Resolves with the address it says it listens on. */
async function start(command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const agent = spawn(command, [...args, '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  agents.push(agent);
  const [line] = await once(createInterface({ input: agent.stdout }), 'line');
  return String(line).replace('Listening on ', '');
}
