import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../core/json.ts';
import { answerTo, createActor, formality, type Message } from './peer-acts.suite.ts';

/** The first MCP over HTTP (2024-11-05): a stream that names where to post, and brings every answer. */
export async function startSsePeer() {
  const play = createActor();
  const streams = new Map<string, ServerResponse>();
  const server = createServer((request, response) => {
    const key = new URL(request.url ?? '/', 'http://peer').searchParams.get('s') ?? '';
    if (request.method === 'GET') return listen(response);
    const stream = streams.get(key);
    // There is nothing else at the address of the stream.
    if (stream === undefined) return void response.writeHead(405).end();
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', async () => {
      response.writeHead(202).end('Accepted');
      const message = JSON.parse(text) as Message;
      if (message.method !== 'tools/call') return say(stream, formality('session', message));
      const params = (message.params?.['arguments'] ?? {}) as JsonObject;
      const headers = request.headers as JsonObject;
      const act = await play({ id: message.id ?? null, method: 'act', headers }, params);
      if (act.act === 'cut') return void stream.destroy();
      const answer = answerTo(message.id ?? null, act, 'session');
      if (answer !== null) stream.write(`event: message\ndata: ${answer}\n\n`);
    });
  });

  function listen(response: ServerResponse): void {
    const key = randomUUID();
    streams.set(key, response);
    response.on('close', () => streams.delete(key));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: /messages?s=${key}\n\n`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sse`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function say(stream: ServerResponse, answer: JsonObject | null): void {
  if (answer !== null) stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
}
