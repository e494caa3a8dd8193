import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type AgentCall = {
  /** The id of the request, which is the task's. */
  readonly call_id: string;
  /** The path it came in on: who is configured with it is known by it. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
};
export type AgentAnswer = { readonly result: unknown } | { readonly error: object };

export type Agent = { readonly url: string; close(): Promise<void> };

/** An agent as anybody would write one: JSON-RPC 2.0 by POST, without a line of ours. */
export async function startAgent(answer: (call: AgentCall) => Promise<AgentAnswer>): Promise<Agent> {
  const server = createServer((request, response) => {
    void respond(request, response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (call: AgentCall) => Promise<AgentAnswer>,
): Promise<void> {
  // A caller that is killed half way through its request takes the rest with it.
  const text = await readAll(request).catch(() => null);
  if (text === null) return;
  const { id, method, params } = JSON.parse(text) as { id: string } & Pick<AgentCall, 'method' | 'params'>;
  const { url: path = '', headers } = request;
  const said = await answer({ call_id: id, path, headers, method, params });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  return text;
}
