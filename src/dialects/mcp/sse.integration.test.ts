import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { ask, done, failed, openMcp } from './scripted.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server of 2024-11-05 whose sessions can be forgotten while their streams stay open, as behind a proxy. */
async function startOld(refuse: (response: ServerResponse) => void) {
  const streams: ServerResponse[] = [];
  const forgotten = new Set<number>();
  const called: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://here');
    if (request.method === 'GET') {
      const number = streams.push(response) - 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /post?s=${number}\n\n`);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const number = Number(url.searchParams.get('s'));
    if (forgotten.has(number)) return refuse(response);
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: string; method: string };
    called.push(`${number} ${method}`);
    response.writeHead(202).end();
    if (id === undefined) return;
    const result = {
      jsonrpc: '2.0',
      id,
      result: results[method] ?? { content: [], structuredContent: number },
    };
    streams[number]?.write(`event: message\ndata: ${JSON.stringify(result)}\n\n`);
  });
  const results: Record<string, JsonObject> = {
    initialize: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [] },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider = openMcp({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    transport: 'sse',
  });
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => provider.close?.(),
  );
  return { provider, streams, called, forget: () => forgotten.add(streams.length - 1) };
}

describe('a session over the older HTTP with SSE', () => {
  it.each([
    [404, 'Could not find session'],
    [410, 'gone'],
    [400, 'No valid session'],
  ])(
    'that is lost behind an open stream is begun anew, and the call made again: %i %s',
    async (status, words) => {
      const { provider, streams, called, forget } = await startOld((response) => {
        response.writeHead(status).end(words);
      });
      expect(await done(ask(provider, 'look'))).toBe(0);
      const closed = new Promise((resolve) => streams[0]?.once('close', resolve));
      forget();
      expect(await done(ask(provider, 'look'))).toBe(1);
      expect(streams).toHaveLength(2);
      expect(called.filter((one) => one.endsWith('tools/call'))).toEqual(['0 tools/call', '1 tools/call']);
      await closed;
    },
  );

  it('is not begun anew for any other refusal', async () => {
    const { provider, streams, forget } = await startOld((response) => {
      response.writeHead(400).end('what?');
    });
    await done(ask(provider, 'look'));
    forget();
    expect(await failed(ask(provider, 'look'))).toMatchObject({ data: { error_code: 'GLZ2010' } });
    expect(streams).toHaveLength(1);
  });
});
