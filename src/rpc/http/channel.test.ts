import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Channel } from '../channel.ts';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { type HttpChannelOptions, httpChannel } from './channel.ts';
import { bodyOf, closePeers, echo, httpPeer, rejectionOf, respond, tcpPeer } from './peer.suite.ts';

const channels: Channel[] = [];

function open(url: string, options: Partial<HttpChannelOptions> = {}): Channel {
  const channel = httpChannel({ url, wall: Date.now, timers: manualTimers(), ...options });
  channels.push(channel);
  return channel;
}

const never = new AbortController().signal;

function ask(channel: Channel, signal: AbortSignal = never, id: string | number = 1) {
  return channel.call({ id, method: 'ask', params: { x: 1 }, signal });
}

afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.close()));
  await closePeers();
});

describe('a call over HTTP', () => {
  it('is one POST with the configured headers, and those of the call instead of them', async () => {
    const seen = Promise.withResolvers<[IncomingMessage, string]>();
    const peer = await httpPeer(async (request, response) => {
      const body = await bodyOf(request);
      seen.resolve([request, body]);
      respond(response, 200, { jsonrpc: '2.0', id: 'a', result: { ok: true } });
    });
    const url = peer.url.replace('http://', 'http://user:p%40ss@');
    const channel = open(`${url}?zone=1`, { headers: { 'X-Key': 'configured', 'X-Other': 'kept' } });
    const answer = await channel.call({
      id: 'a',
      method: 'm',
      params: [1],
      signal: never,
      headers: { 'x-key': 'of the call' },
    });
    const [request, body] = await seen.promise;
    expect(answer).toEqual({ result: { ok: true }, http_status: 200 });
    expect(JSON.parse(body)).toEqual({ jsonrpc: '2.0', id: 'a', method: 'm', params: [1] });
    expect([request.method, request.url]).toEqual(['POST', '/rpc?zone=1']);
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-key': 'of the call',
      'x-other': 'kept',
      authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    });
  });

  it('is not answered by what a service says before its answer', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"result":"right"}';
    const hints = 'HTTP/1.1 103 Early Hints\r\ncontent-length: 999999999999\r\nlink: </a>\r\n\r\n';
    const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const peer = await tcpPeer((socket) => socket.once('data', () => socket.write(hints + answer)));
    expect(await ask(open(peer.url))).toEqual({ result: 'right', http_status: 200 });
  });

  it('keeps its connection, and never opens more than allowed', async () => {
    const peer = await httpPeer(echo);
    const channel = open(peer.url, { connections: 4 });
    for (let id = 0; id < 20; id++) await ask(channel, never, id);
    // A connection is free one turn of the loop after its answer; until then a second one is opened.
    expect(peer.sockets.length).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 200 }, (_, id) => ask(channel, never, id)));
    expect(peer.sockets.length).toBeLessThanOrEqual(4);
  });

  it('goes where the connector says, whatever the name', async () => {
    const peer = await httpPeer(echo);
    const asked: string[] = [];
    const channel = open('http://agent.example:8123/rpc', {
      connector: ({ hostname, port }, done) => {
        asked.push(`${hostname}:${port}`);
        const socket = connect(peer.port, '127.0.0.1', () => done(null, socket));
      },
    });
    expect(await ask(channel)).toMatchObject({ result: { x: 1 } });
    expect(asked).toEqual(['agent.example:8123']);
  });

  it('takes only http and https addresses', () => {
    for (const url of ['ftp://a/', 'file:///etc/passwd', 'nonsense'])
      expect(() => httpChannel({ url, wall: Date.now, timers: manualTimers() })).toThrow(GleitzeitError);
  });

  it('refuses a header that would write another', async () => {
    const peer = await httpPeer(echo);
    const call = open(peer.url).call({
      id: 1,
      method: 'm',
      signal: never,
      headers: { a: 'b\r\nx-admin: 1' },
    });
    expect((await rejectionOf(call)).code).toBe('GLZ1012');
  });
});

describe('a call that is given up', () => {
  it('never leaves when its signal has fired already', async () => {
    const peer = await httpPeer(echo);
    const why = new GleitzeitError('GLZ2009', 'cancelled by a person');
    expect(await rejectionOf(ask(open(peer.url), AbortSignal.abort(why)))).toBe(why);
    expect(peer.sockets.length).toBe(0);
  });

  it('frees its connection', async () => {
    const reached = Promise.withResolvers<IncomingMessage>();
    const peer = await httpPeer((request) => reached.resolve(request));
    const controller = new AbortController();
    const call = rejectionOf(ask(open(peer.url), controller.signal));
    const request = await reached.promise;
    const gone = once(request.socket, 'close');
    controller.abort();
    expect((await call).code).toBe('GLZ2003');
    await gone;
  });

  it('is not sent any more when it was still waiting for a connection', async () => {
    const seen: unknown[] = [];
    const first = Promise.withResolvers<() => void>();
    const peer = await httpPeer(async (request, response) => {
      const { id } = JSON.parse(await bodyOf(request));
      seen.push(id);
      const answer = () => respond(response, 200, { jsonrpc: '2.0', id, result: null });
      if (id === 1) first.resolve(answer);
      else answer();
    });
    const channel = open(peer.url, { connections: 1 });
    const controller = new AbortController();
    const slow = ask(channel, never, 1);
    const answerFirst = await first.promise;
    const waiting = rejectionOf(ask(channel, controller.signal, 2));
    controller.abort();
    expect((await waiting).code).toBe('GLZ2003');
    answerFirst();
    await slow;
    await ask(channel, never, 3);
    expect(seen).toEqual([1, 3]);
  });
});

describe('a connection that fails', () => {
  it('says that nothing listens there', async () => {
    const peer = await httpPeer(echo);
    await peer.close();
    const error = await rejectionOf(ask(open(peer.url)));
    expect(error.code).toBe('GLZ2002');
    expect(error.message).toContain(`127.0.0.1:${peer.port}/rpc refused the connection`);
  });

  it('says that the name is not known, without the address leaving this machine', async () => {
    const lookup: NonNullable<HttpChannelOptions['lookup']> = (name, _, done) =>
      done(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }), '', 4);
    const error = await rejectionOf(ask(open('http://nobody.example/rpc', { lookup })));
    expect([error.code, error.message]).toEqual([
      'GLZ2002',
      'the name of http://nobody.example/rpc is not known',
    ]);
  });

  it('gives up connecting in time', async () => {
    const options = { lookup: () => {}, connect_timeout_ms: 20 };
    const error = await rejectionOf(ask(open('http://silent.example/rpc', options)));
    expect([error.code, error.class]).toEqual(['GLZ2002', 'transport']);
  });

  it.each([
    ['before it answers', ''],
    ['in the middle of the headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['in the middle of the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"jsonrpc"'],
    [
      'in the middle of a chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"jsonrpc":"2.0"',
    ],
    ['having said something that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['with a second length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x'],
  ])('is a failure of transport when the peer ends it %s', async (_, said) => {
    const peer = await tcpPeer((socket) => socket.once('data', () => socket.end(said)));
    const error = await rejectionOf(ask(open(peer.url)));
    expect(error.code).toBe('GLZ2002');
    expect(error.message).toContain(`http://127.0.0.1:${peer.port}/rpc`);
  });

  it('is a timeout when the answer does not begin, or stops', async () => {
    const silent = await tcpPeer((socket) => socket.resume());
    const first = await rejectionOf(ask(open(silent.url, { headers_timeout_ms: 50 })));
    const halting = await tcpPeer((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')),
    );
    const second = await rejectionOf(ask(open(halting.url, { body_timeout_ms: 50 })));
    expect([first.code, second.code]).toEqual(['GLZ2003', 'GLZ2003']);
    expect(second.message).toContain('stopped in the middle');
  });
});

describe('a closed channel', () => {
  it('rejects what is under way and what comes after, and may be closed again', async () => {
    const reached = Promise.withResolvers<void>();
    const peer = await httpPeer(() => reached.resolve());
    const channel = open(peer.url);
    const call = rejectionOf(ask(channel));
    await reached.promise;
    await channel.close();
    expect((await call).code).toBe('GLZ2002');
    expect((await rejectionOf(ask(channel))).message).toContain('is closed');
    await channel.close();
  });
});
