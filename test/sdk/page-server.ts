import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PageServer = { readonly origin: string; close(): Promise<void> };

const html = '<!doctype html><title>suite</title><script type="module" src="/suite.js"></script>';

/** An origin of its own with one page on it, which runs one script. */
export async function servePage(script: string): Promise<PageServer> {
  const server = createServer(({ url }, response) => {
    const isScript = url === '/suite.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
