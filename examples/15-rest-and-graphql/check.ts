/** Starts the bookshop, runs the workflow on it, and looks at the results. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const env = { ...process.env, SHOP_PORT: await freePort(), SHOP_KEY: 'let me in' };
const shop = spawn(process.execPath, ['agents/bookshop.js'], {
  cwd,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await once(shop.stdout, 'data');
  const run = [program, 'run', 'workflow.gleitzeit.yaml', '-o', 'json'];
  const { status, results } = JSON.parse(execFileSync(process.execPath, run, { cwd, env, encoding: 'utf8' }));
  assert.equal(status, 'completed');
  const titles = results.search.results.map(({ title }: { title: string }) => title);
  assert.deepEqual(titles, ['Time and Work', 'Time Zones', 'The Time Before', 'Time to Rest']);
  assert.equal(results.stock, 12);
  assert.deepEqual(results.order, { parcel: 'P-1', order: 'order 1' });
  console.log(`sent as ${results.order.parcel}`);
} finally {
  shop.kill();
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
