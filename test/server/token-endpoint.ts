import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type TokenEndpoint = {
  readonly url: string;
  /** How often it was asked. */
  asked(): number;
  close(): Promise<void>;
};

/** A token endpoint of OAuth 2.0 that gives everybody the same token. */
export async function startTokenEndpoint(access_token: string): Promise<TokenEndpoint> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3600 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/token`,
    asked: () => asked,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
