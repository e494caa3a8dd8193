import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnDebian, isInstalled } from './debian.ts';
import { freePort } from './free-port.ts';
import { startService } from './process.ts';
import { type Restartable, startRestartable } from './restartable.ts';

const remedy = 'install Redis 7 or later, or name a server in GLEITZEIT_TEST_REDIS_URL';

/** A door that opens only over TLS and with a password. */
export type RedisDoor = { readonly cert: string; readonly key: string; readonly password: string };

/** A server of its own that writes everything to its disk before it answers. */
export function startRedis(door?: RedisDoor): Promise<Restartable> {
  return startRestartable('redis', async (folder) => {
    if (!(await isInstalled('redis-server'))) await installOnDebian('redis-server', remedy);
    const port = await freePort();
    const listening = door === undefined ? ['--port', String(port)] : await guard(folder, door, port);
    const where = [...listening, '--bind', '127.0.0.1', '--dir', folder];
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const args = [...where, ...durable];
    const start = () =>
      startService({ command: 'redis-server', args, ready: /Ready to accept connections/, cwd: folder });
    return { url: `${door === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`, start };
  });
}

async function guard(folder: string, { cert, key, password }: RedisDoor, port: number): Promise<string[]> {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  const files = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile];
  const tls = ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
  return [...tls, '--requirepass', password];
}
