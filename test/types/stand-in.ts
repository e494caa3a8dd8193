import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small service in the documented shapes of a vendor. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Said = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
};

export type StandIn = { readonly url: string; readonly asked: Asked[]; stop(): Promise<void> };

export async function standIn(answer: (asked: Asked) => Said): Promise<StandIn> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    const { method = '', headers } = request;
    const one = { method, path: pathname, query: searchParams, headers, body: Buffer.concat(chunks) };
    asked.push(one);
    send(response, answer(one));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, json, text = '' }: Said): void {
  const type = { 'content-type': json === undefined ? 'text/html; charset=utf-8' : 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(json === undefined ? text : JSON.stringify(json));
}

export const jsonIn = ({ body }: Asked) => JSON.parse(body.toString()) as Record<string, unknown>;
