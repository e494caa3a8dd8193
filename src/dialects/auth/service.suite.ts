import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Provider } from '../../core/ports/provider.ts';
import { direct } from '../dialect.suite.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import type { ProviderParts } from '../provider-type.ts';
import { createProvider } from '../registry.ts';

/** What a service or a token endpoint was asked. */
export type Asked = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
export type Said = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};
type Answering = (asked: Asked) => Said | Promise<Said>;

/** A service that asks who calls, and an endpoint that gives tokens, both on loopback. */
export type Service = {
  readonly url: string;
  readonly socket_url: string;
  readonly token_url: string;
  readonly calls: Asked[];
  readonly tokens: Asked[];
  stop(): Promise<void>;
};

export type ServiceParts = {
  /** The answer to a request for a token. */
  readonly token?: Answering;
  /** The status of a call, or of the opening of a WebSocket; 200 for being let in. */
  readonly door?: (asked: Asked) => number;
  /** Instead of the result of a call. */
  readonly answer?: Answering;
};

export async function startService(parts: ServiceParts = {}): Promise<Service> {
  const calls: Asked[] = [];
  const tokens: Asked[] = [];
  const door = parts.door ?? (() => 200);
  const server = createServer(async (request, response) => {
    const asked = { path: request.url ?? '', headers: request.headers, body: await bodyOf(request) };
    if (asked.path.startsWith('/token')) {
      tokens.push(asked);
      return respond(response, (await parts.token?.(asked)) ?? { status: 404 });
    }
    calls.push(asked);
    const status = door(asked);
    if (status !== 200)
      return respond(response, { status, body: `no entry for ${asked.headers.authorization}` });
    return respond(response, (await parts.answer?.(asked)) ?? { body: resultFor(asked.body) });
  });
  const sockets = serveSockets(server, calls, door);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/rpc`,
    socket_url: `ws://127.0.0.1:${port}/rpc`,
    token_url: `http://127.0.0.1:${port}/token`,
    calls,
    tokens,
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serveSockets(server: Server, calls: Asked[], door: (asked: Asked) => number): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, carrier, head) => {
    const asked = { path: request.url ?? '', headers: request.headers, body: '' };
    calls.push(asked);
    const status = door(asked);
    if (status !== 200)
      return void carrier.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    sockets.handleUpgrade(request, carrier, head, (socket) => {
      socket.on('message', (message) => {
        const { method, params } = JSON.parse(String(message));
        if (params?.do === 'cut') socket.close(4401, `no more ${asked.headers.authorization}`);
        else if (method !== undefined) socket.send(JSON.stringify(resultFor(String(message))));
      });
    });
  });
  return sockets;
}

function resultFor(body: string): object {
  return { jsonrpc: '2.0', id: JSON.parse(body).id, result: 'in' };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function respond(response: ServerResponse, { status = 200, body = '', headers = {} }: Said): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** An endpoint that gives `token-1`, `token-2`, … */
export function numbered(expires_in: unknown = 3600): Answering {
  let number = 0;
  return () => ({ body: { access_token: `token-${++number}`, token_type: 'Bearer', expires_in } });
}

export type Target = { readonly type?: string; readonly url: string; readonly auth: object };

export function openProvider(
  { type = 'jsonrpc-http', url, auth }: Target,
  parts: Partial<ProviderParts> = {},
) {
  const spec = { id: 'peer', protocol: 'act/v1', type, config: { url, auth } };
  return createProvider(spec, { ...realParts, ...parts });
}

/** Lets a call through, and says how it ended: `in`, or the code and the words of its error. */
export async function outcomeOf(provider: Provider, signal?: AbortSignal): Promise<string> {
  const answer = await direct(provider, { do: 'echo', value: 1 }, signal === undefined ? {} : { signal });
  if (answer.word === 'done') return JSON.parse(answer.result);
  if (answer.word !== 'failed') return answer.word;
  return `${answer.error.data.error_code}: ${answer.error.message}`;
}

/** A clock that goes when it is told to. */
export function handClock() {
  let now = 1_000_000;
  return {
    clock: { wall: () => now, monotonic: () => now },
    pass: (ms: number) => {
      now += ms;
    },
  };
}
