/** Starts the server and lets the client find its own result right. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));
const cwd = import.meta.dirname;
const port = await freePort();
const server = spawn(process.execPath, [program, 'serve'], {
  cwd,
  env: { ...process.env, PORT: port },
  stdio: ['ignore', 'pipe', 'pipe'],
});
try {
  await listening();
  const env = { ...process.env, GLEITZEIT_SERVER_URL: `http://127.0.0.1:${port}` };
  execFileSync(process.execPath, ['client.ts'], { cwd, env, stdio: 'inherit', timeout: 30_000 });
} finally {
  server.kill();
  await once(server, 'close');
}

/** Resolves when its log says so. */
function listening(): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const input of [server.stdout, server.stderr])
      createInterface({ input }).on('line', (line) => {
        if (line.includes(`127.0.0.1:${port}`)) resolve();
      });
    server.once('close', () => reject(new Error('the server ended')));
  });
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
