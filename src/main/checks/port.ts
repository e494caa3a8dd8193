import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { addressOfHolder } from '../holder.ts';
import { type Finding, findings } from './finding.ts';

const { ok, warning, problem } = findings('port');

/** Whether a server could listen where it is configured to, or whose port it is. */
export async function checkPort(config: Config): Promise<Finding[]> {
  const { host, port } = config.server;
  const place = `${host}:${port}`;
  if (port === 0) return [ok('a free port is taken at each start')];
  const trouble = await tryToListen(host === 'localhost' ? '127.0.0.1' : host, port);
  if (trouble === null) return [ok(`${place} is free`)];
  if (trouble !== 'EADDRINUSE')
    return [problem(`cannot listen on ${place}: ${trouble}`, 'is that an address of this machine?')];
  const holder = await addressOfHolder(config).catch(() => null);
  if (holder !== null && URL.parse(holder)?.port === String(port))
    return [ok(`${place} is the server that holds the store`)];
  return [
    warning(
      `somebody else listens on ${place}`,
      'set server.port, or GLEITZEIT_SERVER_PORT, for a server of your own',
    ),
  ];
}

function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
