import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Credentials } from '../credentials.ts';
import { addressGuard } from '../network/guard.ts';
import { makeAuthority } from './certificates.suite.ts';
import { type WebClient, type WebClientOptions, type WebRequest, webClient } from './client.ts';
import { bodyOf, closePeers, httpPeer, httpsPeer, rejectionOf, respond, tcpPeer } from './peer.suite.ts';

const clients: WebClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await closePeers();
});

function open(url: string, more: Partial<WebClientOptions> = {}): WebClient {
  const client = webClient({ url, guard: addressGuard(), ...more });
  clients.push(client);
  return client;
}

function get(url: string, more: Partial<WebRequest> = {}): WebRequest {
  const request = { method: 'GET', url: new URL(url), headers: {}, body: null, signal: null };
  return { ...request, max_bytes: 1024 * 1024, ...more };
}

/** Answers with what it was asked. */
async function mirror(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request;
  respond(response, 200, { method, url, headers, body: await bodyOf(request) });
}

async function allOf(body: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return pieces;
}

const seen = ({ body }: { readonly body: Buffer }) => JSON.parse(body.toString());

describe('a request', () => {
  it('goes out as it is written, and its answer comes back whole', async () => {
    const { url } = await httpPeer(mirror);
    const client = open(url);
    const put = { method: 'PUT', headers: { 'X-One': '1', 'Content-Type': 'text/plain' }, body: 'hello' };
    const answer = await client.request(get(`${url}/a%20b?q=1&q=2`, put));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(seen(answer)).toMatchObject({
      method: 'PUT',
      url: '/rpc/a%20b?q=1&q=2',
      headers: { 'x-one': '1', 'content-type': 'text/plain' },
      body: 'hello',
    });
    const bytes = await client.request(get(url, { method: 'POST', body: new Uint8Array([104, 105]) }));
    expect(seen(bytes).body).toBe('hi');
  });

  it('keeps its connections, and has no more than it may', async () => {
    const peer = await httpPeer(mirror);
    const client = open(peer.url, { connections: 2 });
    await Promise.all(Array.from({ length: 20 }, () => client.request(get(peer.url))));
    for (let n = 0; n < 3; n++) await client.request(get(peer.url));
    expect(peer.sockets).toHaveLength(2);
  });

  it('shows a name and password of the address as a header', async () => {
    const { url } = await httpPeer(mirror);
    const named = url.replace('http://', 'http://me:p%40ss@');
    const answer = await open(named).request(get(named));
    expect(seen(answer).headers.authorization).toBe(`Basic ${btoa('me:p@ss')}`);
    const other = url.replace('http://', 'http://you:x@');
    expect((await rejectionOf(open(named).request(get(other)))).message).toContain('carries a name');
  });

  it('shows credentials, and fresh ones where those are not accepted', async () => {
    let turn = 0;
    const credentials: Credentials = {
      show: () => ({ headers: { authorization: `Bearer ${++turn}` }, query: 'key=a%20b' }),
      refused: () => turn === 1,
      values: () => [],
      close: async () => {},
    };
    const { url } = await httpPeer((request, response) => {
      if (request.headers.authorization === 'Bearer 1') respond(response, 401, {});
      else void mirror(request, response);
    });
    const client = open(url, { credentials });
    expect(seen(await client.request(get(`${url}?q=1`)))).toMatchObject({
      url: '/rpc?q=1&key=a%20b',
      headers: { authorization: 'Bearer 2' },
    });
    turn = 0;
    const stream = await client.stream(get(url));
    expect(stream.status).toBe(200);
    stream.cancel();
  });

  it('ends with its signal, also before it began', async () => {
    const peer = await httpPeer(() => {});
    const client = open(peer.url);
    const end = new AbortController();
    const call = rejectionOf(client.request(get(peer.url, { signal: end.signal })));
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect((await call).code).toBe('GLZ2009');
    for (const open of [client.request, client.stream])
      expect((await rejectionOf(open(get(peer.url, { signal: end.signal })))).code).toBe('GLZ2009');
  });

  it('is not answered by more than it can take', async () => {
    const { url } = await httpPeer((_, response) => respond(response, 200, 'x'.repeat(2000)));
    const client = open(url);
    const error = await rejectionOf(client.request(get(url, { max_bytes: 1999 })));
    expect(error).toMatchObject({ code: 'GLZ2005', message: expect.stringContaining('1999 bytes') });
    expect((await client.request(get(url, { max_bytes: 2000 }))).body).toHaveLength(2000);
  });

  it('rejects for what is no answer', async () => {
    const nowhere = 'http://127.0.0.1:9/';
    expect((await rejectionOf(open(nowhere).request(get(nowhere)))).code).toBe('GLZ2002');
    const cut = await tcpPeer((socket) => socket.once('data', () => socket.destroy()));
    expect((await rejectionOf(open(cut.url).request(get(cut.url)))).code).toBe('GLZ2002');
    const noise = await tcpPeer((socket) => socket.once('data', () => socket.end('hello\r\n')));
    expect((await rejectionOf(open(noise.url).stream(get(noise.url)))).code).toBe('GLZ2002');
    expect(() => open('ftp://127.0.0.1/')).toThrow('must begin with http:// or https://');
  });

  it('is not made once the client is closed', async () => {
    const peer = await httpPeer(() => {});
    const client = open(peer.url);
    const running = rejectionOf(client.request(get(peer.url)));
    await client.close();
    expect((await running).code).toBe('GLZ2002');
    expect((await rejectionOf(client.request(get(peer.url)))).code).toBe('GLZ2002');
    expect((await rejectionOf(client.request(get('http://192.0.2.1/')))).code).toBe('GLZ2002');
    await client.close();
  });

  it('trusts the authority it was given', async () => {
    const authority = makeAuthority();
    const identity = authority.issue('localhost');
    const peer = await httpsPeer(identity, mirror);
    const answer = await open(peer.url, { tls: { ca: authority.cert } }).request(get(peer.url));
    expect(answer.status).toBe(200);
    expect((await rejectionOf(open(peer.url).request(get(peer.url)))).message).toContain('no trusted');
  });
});

describe('a stream', () => {
  it('is read while it arrives', async () => {
    const next: (() => void)[] = [];
    const { url } = await httpPeer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      next.push(
        () => response.write('one'),
        () => response.end('two'),
      );
    });
    const stream = await open(url).stream(get(url));
    expect(stream.headers['content-type']).toBe('text/event-stream');
    const pieces: string[] = [];
    const read = (async () => {
      for await (const piece of stream.body) {
        pieces.push(piece.toString());
        next.shift()?.();
      }
    })();
    next.shift()?.();
    await read;
    expect(pieces).toEqual(['one', 'two']);
  });

  it('keeps the service waiting for a reader that takes its time, and loses nothing', async () => {
    const size = 32 * 1024 * 1024;
    let written = 0;
    const { url } = await httpPeer(async (_, response) => {
      response.on('error', () => {});
      for (; written < size; written += 65_536)
        if (!response.write(Buffer.alloc(65_536))) await once(response, 'drain');
      response.end();
    });
    const stream = await open(url).stream(get(url, { max_bytes: size }));
    const reader = stream.body[Symbol.asyncIterator]();
    let received = (await reader.next()).value?.length ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(written).toBeLessThan(size);
    for (let step = await reader.next(); !step.done; step = await reader.next())
      received += step.value.length;
    expect(received).toBe(size);
  });

  it('ends with its signal, by cancelling, and where its reader leaves', async () => {
    const peer = await httpPeer((_, response) => void response.writeHead(200).write('a'));
    const client = open(peer.url);
    const end = new AbortController();
    const ended = await client.stream(get(peer.url, { signal: end.signal }));
    const reading = rejectionOf(allOf(ended.body));
    end.abort(new GleitzeitError('GLZ2003', 'no answer within 1 s'));
    expect((await reading).code).toBe('GLZ2003');
    const cancelled = await client.stream(get(peer.url));
    const rest = allOf(cancelled.body);
    cancelled.cancel();
    cancelled.cancel();
    await rest;
    const left = await client.stream(get(peer.url));
    for await (const _ of left.body) break;
    const all = peer.sockets.map((socket) => (socket.destroyed ? undefined : once(socket, 'close')));
    await Promise.all(all);
    expect(all).toHaveLength(3);
  });

  it('is not longer than it may be, and breaks with its connection', async () => {
    const long = await httpPeer((_, response) => void response.writeHead(200).write('12345'));
    const stream = await open(long.url).stream(get(long.url, { max_bytes: 4 }));
    expect((await rejectionOf(allOf(stream.body))).code).toBe('GLZ2005');
    const cut = await httpPeer((_, response) => {
      response.writeHead(200).write('a', () => response.destroy());
    });
    const broken = await open(cut.url).stream(get(cut.url));
    expect((await rejectionOf(allOf(broken.body))).code).toBe('GLZ2002');
  });
});
