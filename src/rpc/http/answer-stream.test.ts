import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Progress } from '../../core/ports/provider.ts';
import type { Channel } from '../channel.ts';
import { httpChannel } from './channel.ts';
import { bodyOf, closePeers, httpPeer, rejectionOf, respond } from './peer.suite.ts';

const channels: Channel[] = [];

afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.close()));
  await closePeers();
});

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

async function asking(reply: Reply, options: { max_answer_bytes?: number } = {}) {
  const peer = await httpPeer(async (request, response) => {
    await bodyOf(request);
    reply(response, request);
  });
  const channel = httpChannel({ url: peer.url, wall: Date.now, ...options });
  channels.push(channel);
  const told: Progress[] = [];
  const ask = (id: string | number = 1, signal = new AbortController().signal) =>
    channel.call({ id, method: 'ask', signal, progressed: (one) => told.push(one) });
  return { ask, told, channel, peer };
}

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const news = (n: number, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'progress', params: { id, progress: n, text: `${n} ` } });
const answer = '{"jsonrpc":"2.0","id":1,"result":"right"}';
const other = '{"jsonrpc":"2.0","method":"log","params":{"line":"x"}}';

describe('an answer that is a stream of messages', () => {
  it('is asked for where somebody listens, and only there', async () => {
    const accepted: unknown[] = [];
    const { ask, channel } = await asking((response, request) => {
      accepted.push(request.headers.accept);
      respond(response, 200, answer);
    });
    expect(await ask()).toEqual({ result: 'right', http_status: 200 });
    await channel.call({ id: 1, method: 'ask', signal: new AbortController().signal });
    expect(accepted).toEqual([
      'application/json, text/event-stream, application/x-ndjson',
      'application/json',
    ]);
  });

  it.each([
    ['events', SSE, (lines: string[]) => [': hello\n\n', ...lines.map((line) => `data: ${line}\n\n`)]],
    ['lines', NDJSON, (lines: string[]) => lines.map((line) => `${line}\n`)],
    ['lines, the last without its end', NDJSON, (lines: string[]) => [lines.join('\r\n')]],
  ])('tells of the call, then answers it: %s', async (_what, headers, framed) => {
    const { ask, told } = await asking((response) => {
      response.writeHead(200, headers);
      // In pieces that have nothing to do with its messages.
      const text = framed([news(1), news(9, 'another'), other, news(2), answer]).join('');
      for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) response.write(piece);
      response.end();
    });
    expect(await ask()).toMatchObject({ result: 'right', http_status: 200 });
    expect(told).toEqual([
      { progress: 1, text: '1 ' },
      { progress: 2, text: '2 ' },
    ]);
  });

  it('is heard while it comes, and ends with its answer though the service goes on', async () => {
    const first = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const { ask, told } = await asking((response) => {
      response.writeHead(200, SSE);
      response.write(`data: ${news(1)}\n\n`);
      const chatter = setInterval(() => response.write(': still here\n\n'), 5);
      response.on('close', () => {
        clearInterval(chatter);
        gone.resolve();
      });
      void first.promise.then(() => response.write(`data: ${answer}\n\n`));
    });
    const asked = ask();
    while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
    first.resolve();
    expect(await asked).toMatchObject({ result: 'right' });
    await gone.promise;
  });

  it.each([
    [
      'an end without an answer',
      'GLZ2002',
      (response: ServerResponse) => response.end(`data: ${news(1)}\n\n`),
    ],
    ['no JSON', 'GLZ2005', (response: ServerResponse) => response.end('data: no\n\n')],
    ['no object', 'GLZ2005', (response: ServerResponse) => response.end('data: 7\n\n')],
    [
      'another id',
      'GLZ2005',
      (response: ServerResponse) => response.end(`data: ${answer.replace('1', '2')}\n\n`),
    ],
    [
      'a message too large',
      'GLZ2005',
      (response: ServerResponse) => response.end(`data: ${'x'.repeat(5000)}`),
    ],
    [
      'a cut',
      'GLZ2002',
      (response: ServerResponse) => {
        response.write(`data: ${news(1)}\n\n`);
        setImmediate(() => response.destroy());
      },
    ],
  ])('is none: %s', async (_what, code, reply) => {
    const { ask } = await asking(
      (response) => {
        response.writeHead(200, SSE);
        reply(response);
      },
      { max_answer_bytes: 1000 },
    );
    expect((await rejectionOf(ask())).code).toBe(code);
  });

  it('may be longer than an answer, message by message', async () => {
    const { ask, told } = await asking(
      (response) => {
        response.writeHead(200, NDJSON);
        for (let n = 0; n < 100; n++) response.write(`${news(n)}\n`);
        response.end(`${answer}\n`);
      },
      { max_answer_bytes: 1000 },
    );
    expect(await ask()).toMatchObject({ result: 'right' });
    expect(told).toHaveLength(100);
  });

  it('is given up with its signal, and refuses a line without end', async () => {
    const controller = new AbortController();
    const { ask, told } = await asking((response) => {
      response.writeHead(200, SSE);
      response.write(`data: ${news(1)}\n\n`);
    });
    const asked = rejectionOf(ask(1, controller.signal));
    while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect((await asked).code).toBe('GLZ2003');
    const endless = await asking((response) => response.writeHead(200, NDJSON).end('x'.repeat(5000)), {
      max_answer_bytes: 1000,
    });
    expect((await rejectionOf(endless.ask())).code).toBe('GLZ2005');
  });
});
