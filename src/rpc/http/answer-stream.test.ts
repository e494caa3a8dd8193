import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Progress } from '../../core/ports/provider.ts';
import type { Channel } from '../channel.ts';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { httpChannel } from './channel.ts';
import { bodyOf, closePeers, httpPeer, rejectionOf, respond } from './peer.suite.ts';

const channels: Channel[] = [];

afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.close()));
  await closePeers();
});

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

async function asking(reply: Reply, options: { max_answer_bytes?: number; connections?: number } = {}) {
  const peer = await httpPeer(async (request, response) => {
    await bodyOf(request);
    reply(response, request);
  });
  const timers = manualTimers();
  const channel = httpChannel({ url: peer.url, wall: Date.now, timers, ...options });
  channels.push(channel);
  const told: Progress[] = [];
  const ask = (id: string | number = 1, signal = new AbortController().signal) =>
    channel.call({ id, method: 'ask', signal, progressed: (one) => told.push(one) });
  return { ask, told, timers, channel, peer };
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
    ['events', SSE, `data: ${answer}\n\n`],
    ['lines', NDJSON, `${answer}\n`],
  ])('gives its connection back though the service leaves it open: %s', async (_what, headers, said) => {
    const { ask, timers, channel } = await asking(
      (response) => response.writeHead(200, headers).write(said),
      { connections: 1 },
    );
    expect(await ask()).toMatchObject({ result: 'right' });
    const next = ask();
    timers.pass(1000);
    expect(await next).toMatchObject({ result: 'right' });
    await channel.close();
    expect(timers.waiting).toEqual([]);
  });

  it('keeps its connection where the service ends it soon after', async () => {
    const end = Promise.withResolvers<void>();
    const { ask, timers, peer } = await asking(
      (response) => {
        response.writeHead(200, NDJSON).write(`${answer}\n`);
        void end.promise.then(() => response.end());
      },
      { connections: 1 },
    );
    await ask();
    expect(timers.waiting).toEqual([1000]);
    const next = ask();
    end.resolve();
    await next;
    expect(peer.sockets).toHaveLength(1);
    // That of the second at most.
    expect(timers.waiting.length).toBeLessThan(2);
  });

  it('that is none is told with the address and what came instead', async () => {
    const { ask, peer } = await asking((response) => response.writeHead(200, SSE).end('data: <p>no</p>\n\n'));
    const { message, details } = await rejectionOf(ask());
    expect(message).toBe(`${peer.url} answered HTTP 200 without a JSON-RPC answer: <p>no</p>`);
    expect(details).toMatchObject({ reason: 'the answer is no JSON', fault: 'provider' });
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
    const endless = await asking((response) => response.writeHead(200, NDJSON).write('x'.repeat(5000)), {
      max_answer_bytes: 1000,
    });
    expect((await rejectionOf(endless.ask())).code).toBe('GLZ2005');
  });
});
