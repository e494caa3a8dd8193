/** Starts the service, runs the workflow on it, and looks at the results. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const env = { ...process.env, PRICES_PORT: await freePort() };
const service = spawn(process.execPath, ['service/prices.js'], {
  cwd,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await once(service.stdout, 'data');
  const run = [program, 'run', 'workflow.gleitzeit.yaml', '-o', 'json'];
  const { status, results } = JSON.parse(execFileSync(process.execPath, run, { cwd, env, encoding: 'utf8' }));
  assert.equal(status, 'completed');
  assert.deepEqual(results.now, { symbol: 'GLZ', price: 42.5, day: 0 });
  assert.deepEqual(
    results.next.map(({ price }: { price: number }) => price),
    [43, 43.5],
  );
  console.log(`the last price is ${results.next.at(-1).price}`);
} finally {
  service.kill();
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
