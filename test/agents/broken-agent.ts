import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Asked, Fault, Given } from './faults/fault.ts';
import { startAgent } from './start.ts';

export type BrokenAgent = {
  readonly url: string;
  /** The fault it has from now on; null for none. */
  have(fault: Fault | null): void;
  stop(): Promise<void>;
};

/** A sample agent behind something that spoils what it says: it can have each of the faults. */
export async function startBrokenAgent(): Promise<BrokenAgent> {
  let fault: Fault | null = null;
  let behind = '';
  const server = createServer((request, response) => {
    answer(request, fault, behind).then(
      (given) => say(response, given),
      (error) => response.destroy(error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const agent = await startAgent('node', { PUBLIC_URL: `${url}a2a` });
  behind = agent.url;
  return {
    url,
    have(next) {
      server.closeAllConnections();
      fault = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await agent.stop('SIGKILL');
    },
  };
}

async function answer(request: IncomingMessage, fault: Fault | null, behind: string): Promise<Given> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const asked: Asked = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers,
    body: Buffer.concat(chunks).toString(),
  };
  const instead = fault?.instead?.(asked);
  if (instead !== undefined) return instead;
  const given = await forward(fault?.before?.(asked) ?? asked, behind);
  return fault?.after?.(given, asked) ?? given;
}

async function forward({ method, path, headers, body }: Asked, behind: string): Promise<Given> {
  const passed = ['content-type', 'a2a-version', 'x-correlation-id', 'if-none-match'];
  const sent = passed.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  const response = await fetch(new URL(path, behind), {
    method,
    headers: sent,
    ...(method === 'POST' ? { body } : {}),
  });
  const left = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'];
  const kept = [...response.headers].filter(([name]) => !left.includes(name));
  return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() };
}

function say(response: ServerResponse, { status, headers, body, end }: Given): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (end === undefined) {
    response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes);
    return;
  }
  if (end === 'open') {
    response.writeHead(status, headers).flushHeaders();
    response.write(bytes);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': bytes.length + 100 });
  response.write(bytes.subarray(0, bytes.length - 1), () => response.destroy());
}
