import { dirname, join } from 'node:path';
import { freePort } from '../../test/services/free-port.ts';
import { startService } from '../../test/services/process.ts';
import { peerPath } from '../peers.ts';
import type { Service } from '../service.ts';

/** Restate brings its own log and store; the server comes from npm with the other peers. */
export async function startRestate(directory: string): Promise<Service> {
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  const server = await startService({
    command: join(dirname(peerPath(`${platform}/package.json`)), 'bin', 'restate-server'),
    args: ['--no-logo', '--listen-mode', 'tcp', '--base-dir', directory, '--node-name', 'bench'],
    cwd: directory,
    env: {
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_LOG_FORMAT: 'compact',
      RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
    },
    ready: /Server listening server_name=admin-api-server/,
  });
  const stop = () => server.end('SIGTERM');
  return { url: `http://127.0.0.1:${ingress}`, adminUrl: `http://127.0.0.1:${admin}`, stop };
}
