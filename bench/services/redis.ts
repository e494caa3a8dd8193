import type { Service } from '../services.ts';
import { installPackage } from './debian.ts';
import { freePort, isInstalled, launch } from './program.ts';

export async function startRedis(directory: string): Promise<Service> {
  if (!isInstalled('redis-server')) installPackage('redis-server');
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
  const { stop } = await launch({
    command: 'redis-server',
    args,
    cwd: directory,
    ready: /Ready to accept connections/,
  });
  return { url: `redis://127.0.0.1:${port}`, stop };
}
