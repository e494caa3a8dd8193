import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Json, JsonObject } from '../../core/json.ts';
import { type Act, actOverHttp, BUSY_MS, createActor } from '../testing/actor.suite.ts';

/** JSON-RPC as a service would write it by hand, without anything of ours. */

export type Request = { readonly id: Json; readonly method: string; readonly params: JsonObject };

export function messageFor(id: Json, act: Act): string | null {
  const head = { jsonrpc: '2.0', id };
  if (act.act === 'result') return JSON.stringify({ ...head, result: act.value });
  if (act.act === 'error') {
    const code = act.how === 'final' ? -32602 : -32603;
    return JSON.stringify({ ...head, error: { code, message: act.message } });
  }
  if (act.act === 'busy') {
    const error = { code: -32000, message: 'too much', data: { retry_after_ms: BUSY_MS } };
    return JSON.stringify({ ...head, error });
  }
  // Where many calls share a line, only an answer that names its call can be told to be none.
  return act.act === 'garbage'
    ? JSON.stringify({ ...head, result: 1, error: { code: 1, message: '' } })
    : null;
}

/** The answer to a method that the service does not have; null where it has it. */
export function unknownMethod({ id, method }: Request): string | null {
  if (!method.startsWith('rpc.')) return null;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
}

export async function startHttpPeer() {
  const play = createActor();
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await bodyOf(request)) as Request;
    const unknown = unknownMethod(asked);
    if (unknown !== null) return void response.writeHead(200, json).end(unknown);
    const { id, method, params } = asked;
    const act = await play({ id, method, headers: request.headers as JsonObject }, params);
    answerHttp(response, { id, act });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/rpc`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const json = { 'content-type': 'application/json' };

function answerHttp(response: ServerResponse, { id, act }: { id: Json; act: Act }): void {
  if (act.act === 'silence' || actOverHttp(response, act)) return;
  if (act.act === 'cut') return void response.destroy();
  if (act.act === 'garbage') return void response.writeHead(200, json).end('<html>not here</html>');
  if (act.act === 'busy')
    return void response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end('slow down');
  response.writeHead(200, json).end(messageFor(id, act));
}

export async function startWebSocketPeer() {
  const play = createActor();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 64 * 1024 * 1024 });
  server.on('connection', (socket, upgrade) => {
    socket.on('error', () => {});
    socket.on('message', async (data) => {
      const asked = JSON.parse(String(data)) as Request;
      const unknown = unknownMethod(asked);
      if (unknown !== null) return socket.send(unknown);
      const { id, method, params } = asked;
      const act = await play({ id, method, headers: upgrade.headers as JsonObject }, params);
      if (act.act === 'cut') return socket.terminate();
      const message = messageFor(id, act);
      if (message !== null) socket.send(message);
    });
  });
  await new Promise<void>((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/rpc`,
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => resolve());
      }),
  };
}
