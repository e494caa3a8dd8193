import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { noPlan, type Plan } from './plan.ts';
import { openFaultProxy } from './proxy.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A service whose answers are streams that the test writes, and somebody who reads them through the proxy. */
async function streamed(plan: Partial<Plan> = {}, type = 'text/event-stream; charset=utf-8') {
  const opened = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': type, 'x-kept': 'yes' });
    response.write('data: 1\n\n');
    opened.resolve(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const target = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const parts = { clock: systemClock, timers: systemTimers, max_answer: 1000, failed: () => {} };
  const proxy = await openFaultProxy({ ...parts, target, plan: () => ({ ...noPlan, ...plan }) });
  ends.push(() => proxy.close());
  const made = request({ port: proxy.port, host: '127.0.0.1' });
  made.end();
  const heard = once(made, 'response').then(([said]) => said as IncomingMessage);
  return { heard, service: await opened.promise };
}

async function textOf(said: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const piece of said) text += piece;
    return text;
  } catch {
    return `${text}(cut)`;
  }
}

describe('a stream through the fault proxy', () => {
  it.each(['text/event-stream; charset=utf-8', 'application/x-ndjson', 'application/jsonl'])(
    'comes piece by piece, while the service is still at it, however long it becomes: %s',
    async (type) => {
      const { heard, service } = await streamed({}, type);
      const said = await heard;
      expect(String((await once(said, 'data'))[0])).toBe('data: 1\n\n');
      expect(said.headers).toMatchObject({ 'x-kept': 'yes', 'content-type': type });
      service.write('x'.repeat(5000));
      service.end('data: 2\n\n');
      let length = 0;
      said.on('data', (piece) => {
        length += piece.length;
      });
      await once(said, 'end');
      expect(length).toBe(5009);
    },
  );

  it('comes slowly where its bytes do', async () => {
    const { heard, service } = await streamed({ bytes_per_second: 400 });
    service.end('data: 2\n\n');
    expect(await textOf(await heard)).toBe('data: 1\n\ndata: 2\n\n');
  });

  it('breaks off in the middle where it is cut, and also where it would have ended by itself', async () => {
    const endless = await streamed({ fault: { kind: 'cut', share: 0.3 } });
    const text = textOf(await endless.heard);
    endless.service.write('data: 2\n\n');
    const gone = once(endless.service, 'close');
    expect(await text).toBe('data: 1\n\n(cut)');
    await gone;
    const short = await streamed({ fault: { kind: 'cut', share: 0.9 } });
    short.service.end();
    expect(await textOf(await short.heard)).toBe('data: 1\n\n(cut)');
  });

  it('is replaced by a wrong answer, or reset, without its end being waited for', async () => {
    const wrong = await streamed({ fault: { kind: 'wrong_answer', how: 'server_error' } });
    const gone = once(wrong.service, 'close');
    const said = await wrong.heard;
    expect([said.statusCode, await textOf(said)]).toEqual([500, 'Internal Server Error']);
    await gone;
    const other = await (await streamed({ fault: { kind: 'wrong_answer', how: 'other_id' } })).heard;
    expect(other.headers['content-type']).toBe('application/json');
    expect(JSON.parse(await textOf(other))).toEqual({ jsonrpc: '2.0', id: 'not-asked', result: null });
    const reset = await streamed({ fault: { kind: 'reset' } });
    await expect(reset.heard).rejects.toThrow();
  });
});
