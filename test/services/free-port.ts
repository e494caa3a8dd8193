import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that was free a moment ago; keep the number, so that a restart finds the same one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP listener without a port');
  return address.port;
}
