import { installOnDebian, isInstalled } from '../../test/services/debian.ts';
import { freePort } from '../../test/services/free-port.ts';
import { startService } from '../../test/services/process.ts';
import type { Service } from '../service.ts';

export async function startRedis(directory: string): Promise<Service> {
  if (!(await isInstalled('redis-server'))) await installOnDebian('redis-server', 'install Redis 7 or later');
  const port = await freePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: directory,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = await startService({
    command: 'redis-server',
    args,
    cwd: directory,
    ready: /Ready to accept connections/,
  });
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.end('SIGTERM') };
}
