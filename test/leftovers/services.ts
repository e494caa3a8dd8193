import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createListener } from 'node:net';
import { WebSocketServer } from 'ws';
import { type Service, serviceOf, Turnstile } from './turnstile.ts';

export async function startHttpService(): Promise<Service> {
  const turnstile = new Turnstile();
  const server = createServer(async (request, response) => {
    const { id } = JSON.parse((await textOf(request)) || '{}') as { id?: string };
    await turnstile.pass();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: 'over HTTP' }));
  });
  return serviceOf(server, turnstile);
}

export async function startTokenService(): Promise<Service> {
  const turnstile = new Turnstile();
  const server = createServer(async (request, response) => {
    await textOf(request);
    await turnstile.pass();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: 'a-token', token_type: 'Bearer', expires_in: 3600 }));
  });
  return serviceOf(server, turnstile);
}

/** Once it holds it is deaf too: whoever wants to close the connection gets no answer. */
export async function startWebSocketService(): Promise<Service> {
  const turnstile = new Turnstile();
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('message', async (data) => {
      const { id } = JSON.parse(String(data)) as { id: string };
      if (turnstile.isHolding) socket.pause();
      await turnstile.pass();
      socket.resume();
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: 'over a WebSocket' }));
    });
  });
  return serviceOf(server, turnstile);
}

/** Takes connections and never says a word. */
export async function startSilentService(): Promise<Service> {
  const turnstile = new Turnstile();
  turnstile.hold();
  const server = createListener((socket) => {
    socket.on('error', () => {}).resume();
    void turnstile.pass();
  });
  return serviceOf(server, turnstile);
}

export async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  // A caller may be gone before all of it has come.
  try {
    for await (const chunk of request) text += chunk;
  } catch {}
  return text;
}
