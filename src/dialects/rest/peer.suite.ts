import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../core/json.ts';
import { type Act, actOverHttp, BUSY_MS, createActor } from '../testing/actor.suite.ts';

/** A REST service as somebody would write it by hand, without anything of ours. */

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly json?: unknown;
  readonly body?: string | Buffer;
};

export type Service = { readonly url: string; readonly seen: Seen[]; stop(): Promise<void> };

/** Answers as the test says. */
export async function startService(answer: (seen: Seen, count: number) => Reply | null): Promise<Service> {
  const seen: Seen[] = [];
  const running = await listen(async (request, response) => {
    const one = await readRequest(request);
    seen.push(one);
    const reply = answer(one, seen.length);
    if (reply === null) return;
    const { status = 200, headers = {}, json, body } = reply;
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    response.writeHead(status, { ...type, ...headers });
    response.end(json === undefined ? body : JSON.stringify(json));
  });
  return { ...running, seen };
}

/** The service of the contract suite: `POST /acts` with a direction. */
export function startActing() {
  const play = createActor();
  return listen(async (request, response) => {
    const { method: verb, headers, path, body } = await readRequest(request);
    if (verb !== 'POST') return void response.writeHead(404).end();
    const id = headers['idempotency-key'] ?? null;
    const act = await play(
      { id: id as Json, method: path, headers: headers as JsonObject },
      JSON.parse(body),
    );
    reply(response, act);
  });
}

function reply(response: ServerResponse, act: Act): void {
  const json = { 'content-type': 'application/json' };
  if (act.act === 'silence' || actOverHttp(response, act)) return;
  if (act.act === 'cut') response.destroy();
  else if (act.act === 'garbage') response.writeHead(200, json).end('<html>not here</html>');
  else if (act.act === 'busy')
    response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end('slow down');
  else if (act.act === 'error') {
    const error = { error: { message: act.message } };
    response.writeHead(act.how === 'final' ? 422 : 500, json).end(JSON.stringify(error));
  } else if (act.act === 'result') response.writeHead(200, json).end(JSON.stringify({ value: act.value }));
}

export async function readRequest(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = request;
  const [path = '', query = ''] = url.split('?');
  return { method, path, query, headers, body: Buffer.concat(chunks).toString() };
}

export async function listen(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
