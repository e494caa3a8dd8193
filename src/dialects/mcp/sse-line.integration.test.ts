import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Timers } from '../../core/ports/clock.ts';
import { systemTimers } from '../../embedded/system.ts';
import { ask, done, failed, openMcp } from './scripted.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Time that passes ten times as fast. */
const fast: Timers = { ...systemTimers, after: (ms, call) => systemTimers.after(ms / 10, call) };

const results: Record<string, JsonObject> = {
  initialize: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [] },
  ping: {},
};

type Message = {
  readonly id?: string;
  readonly method: string;
  readonly params?: { readonly name?: string };
};

/** A server of 2024-11-05 whose streams can come to lead nowhere while they stay open; `slow` is answered when told to. */
async function startSlow(config: JsonObject = {}, timers = fast) {
  const streams: ServerResponse[] = [];
  const called: string[] = [];
  const slow: (() => void)[] = [];
  const state = { frozen: -1, mute: false };
  let heard: (tool: string) => void = () => {};
  const say = (number: number, text: string) => {
    if (number !== state.frozen) streams[number]?.write(text);
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const number = streams.push(response) - 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      if (!state.mute) say(number, `event: endpoint\ndata: /post?s=${number}\n\n`);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const number = Number(request.url?.split('=')[1]);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    called.push(`${number} ${params?.name ?? method}`);
    response.writeHead(202).end();
    if (id === undefined) return;
    const result = results[method] ?? { content: [], structuredContent: number };
    const answer = () => say(number, `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    if (params?.name === 'slow') slow.push(answer);
    else answer();
    heard(params?.name ?? '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
  const provider = openMcp({ url, transport: 'sse', ...config }, { timers });
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => provider.close?.(),
  );
  const hears = (tool: string) =>
    new Promise<void>((resolve) => {
      heard = (named) => void (named === tool && resolve());
    });
  return { provider, streams, called, slow, state, hears };
}

/** Gives a call up as soon as the server has it. */
async function giveUp({ provider, hears }: Awaited<ReturnType<typeof startSlow>>, tool: string) {
  const end = new AbortController();
  const begun = hears(tool);
  const answering = failed(ask(provider, tool, {}, { signal: end.signal }));
  await begun;
  end.abort(new GleitzeitError('GLZ2003', 'no answer within 1 s'));
  expect(await answering).toMatchObject({ message: 'no answer within 1 s' });
}

/** As long as a stream is doubted at most, and a little longer. */
function doubted() {
  return new Promise<void>((resolve) => fast.after(6000, resolve));
}

describe('a stream of the older HTTP with SSE', () => {
  it('that leads nowhere any more is left after a call that was given up: the next begins anew', async () => {
    const server = await startSlow();
    expect(await done(ask(server.provider, 'look'))).toBe(0);
    server.state.frozen = 0;
    const closed = new Promise((resolve) => server.streams[0]?.once('close', resolve));
    await giveUp(server, 'look');
    await closed;
    expect(await done(ask(server.provider, 'look'))).toBe(1);
    expect(server.called.filter((one) => one.endsWith('ping'))).toEqual(['0 ping']);
  });

  it('is kept where a sign of life comes by it: its tool is slow', async () => {
    const server = await startSlow();
    await done(ask(server.provider, 'look'));
    await giveUp(server, 'slow');
    await vi.waitUntil(() => server.called.includes('0 ping'));
    await doubted();
    expect(await done(ask(server.provider, 'look'))).toBe(0);
  });

  it('that is left still brings what was asked before', async () => {
    const server = await startSlow();
    const begun = server.hears('slow');
    const long = ask(server.provider, 'slow');
    await begun;
    server.state.frozen = 0;
    await giveUp(server, 'look');
    await vi.waitUntil(() => server.called.includes('0 ping'));
    await doubted();
    expect(await done(ask(server.provider, 'look'))).toBe(1);
    server.state.frozen = -1;
    for (const answer of server.slow) answer();
    expect(await done(long)).toBe(0);
  });

  it('that never says where to post is given up with its handshake, and the next call opens another', async () => {
    const { provider, state } = await startSlow({ start_timeout: '300ms' }, systemTimers);
    state.mute = true;
    expect(await failed(ask(provider, 'look'))).toMatchObject({
      message: expect.stringContaining('could not be spoken to within 0.3 s'),
    });
    state.mute = false;
    expect(await done(ask(provider, 'look'))).toBe(1);
  });
});
