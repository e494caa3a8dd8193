import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel } from '../channel.ts';
import { manualTimers } from '../websocket/manual-timers.suite.ts';
import { type HttpChannelOptions, httpChannel } from './channel.ts';
import { bodyOf, closePeers, httpPeer, rejectionOf, respond } from './peer.suite.ts';

const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
const signal = new AbortController().signal;
let channel: Channel | undefined;

afterEach(async () => {
  await channel?.close();
  await closePeers();
});

type Said = { status?: number; body: unknown; headers?: Record<string, string> };

async function answered(said: Said, options: Partial<HttpChannelOptions> = {}) {
  const peer = await httpPeer(async (request, response) => {
    await bodyOf(request);
    respond(response, said.status ?? 200, said.body, said.headers);
  });
  channel = httpChannel({ url: peer.url, wall: () => now, timers: manualTimers(), ...options });
  return channel.call({ id: 7, method: 'ask', signal });
}

const failed = { jsonrpc: '2.0', id: 7, error: { code: -32000, message: 'no' } };

describe('an answer over HTTP', () => {
  it.each([400, 404, 429, 500, 503])('is read under status %d', async (status) => {
    expect(await answered({ status, body: failed })).toEqual({
      error: { code: -32000, message: 'no' },
      http_status: status,
    });
  });

  it('may say when to come again, in seconds or by date', async () => {
    const seconds = { 'retry-after': '3' };
    expect(await answered({ status: 429, body: failed, headers: seconds })).toMatchObject({
      retry_after_ms: 3000,
    });
    const date = { 'retry-after': 'Wed, 21 Oct 2026 07:28:10 GMT' };
    expect(await answered({ status: 503, body: failed, headers: date })).toMatchObject({
      retry_after_ms: 10_000,
    });
  });

  it('with an error and no id is the one to this call', async () => {
    const body = { ...failed, id: null };
    expect(await answered({ status: 400, body })).toMatchObject({ error: { code: -32000 } });
  });

  it.each([
    ['another id', { jsonrpc: '2.0', id: '7', result: 1 }],
    ['both result and error', { ...failed, result: 1 }],
    ['neither', { jsonrpc: '2.0', id: 7 }],
    ['a batch', [{ jsonrpc: '2.0', id: 7, result: 1 }]],
    ['no JSON', '<html>it works</html>'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['nothing', ''],
  ])('that is %s is no answer', async (_, body) => {
    expect((await rejectionOf(answered({ body }))).code).toBe('GLZ2005');
  });

  it('nested too deep is not parsed', async () => {
    const body = `{"jsonrpc":"2.0","id":7,"result":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const error = await rejectionOf(answered({ body }));
    expect([error.code, error.details.reason]).toEqual([
      'GLZ2005',
      'the answer is nested deeper than 128 levels',
    ]);
  });

  it('past the bound is cut off, whether its length is told or not', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, result: 'x'.repeat(2000) });
    const told = await rejectionOf(
      answered({ body, headers: { 'content-length': '2030' } }, { max_answer_bytes: 1000 }),
    );
    const untold = await rejectionOf(
      answered({ body, headers: { 'transfer-encoding': 'chunked' } }, { max_answer_bytes: 1000 }),
    );
    expect([told.code, untold.code]).toEqual(['GLZ2005', 'GLZ2005']);
    expect(told.message).toContain('larger than 1000 bytes');
  });
});

describe('something that is no answer', () => {
  it.each([
    [502, 'GLZ2001', 'server', undefined],
    [503, 'GLZ2001', 'server', undefined],
    [425, 'GLZ2001', 'server', undefined],
    [429, 'GLZ2004', 'rate_limit', undefined],
    [408, 'GLZ2003', 'timeout', undefined],
    [400, 'GLZ2010', 'rejected', undefined],
    [413, 'GLZ2010', 'rejected', undefined],
    [404, 'GLZ2010', 'rejected', 'provider'],
    [405, 'GLZ2010', 'rejected', 'provider'],
    [403, 'GLZ2010', 'rejected', 'provider'],
    [401, 'GLZ2010', 'rejected', 'provider'],
    [200, 'GLZ2005', 'rejected', 'provider'],
  ])('under %d is %s', async (status, code, kind, fault) => {
    const body = '<html>\n<title>502 Bad\n Gateway</title>';
    const error = await rejectionOf(answered({ status, body, headers: { 'content-type': 'text/html' } }));
    expect([error.code, error.class, error.details.fault]).toEqual([code, kind, fault]);
    expect(error.message).toMatch(
      new RegExp(`answered HTTP ${status} without a JSON-RPC answer: <html> <title>502 Bad Gateway</title>$`),
    );
    expect(error.details.details).toEqual({ http_status: status });
  });

  it('keeps the time to come again', async () => {
    const error = await rejectionOf(
      answered({ status: 429, body: 'slow down', headers: { 'retry-after': '5' } }),
    );
    expect(error.details.retry_after_ms).toBe(5000);
  });

  it('is shown by its beginning, cut between characters', async () => {
    const error = await rejectionOf(answered({ status: 500, body: `a${'ü'.repeat(5000)}` }));
    expect(error.message).toMatch(/: aü{99} …$/);
  });

  it('is not shown where it is no text', async () => {
    const binary = await rejectionOf(answered({ body: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) }));
    const packed = await rejectionOf(
      answered({ body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } }),
    );
    expect(binary.message).toContain('its body is no text (5 bytes)');
    expect(packed.message).toContain('its body is encoded (gzip)');
  });

  it('says where it redirects, and nobody goes there', async () => {
    let followed = 0;
    const elsewhere = await httpPeer((_, response) => {
      followed++;
      response.end();
    });
    for (const status of [301, 302, 307, 308]) {
      const error = await rejectionOf(answered({ status, body: '', headers: { location: elsewhere.url } }));
      expect(error.code).toBe('GLZ2010');
      expect(error.message).toContain(`redirects (HTTP ${status}) to ${elsewhere.url}`);
    }
    expect(followed).toBe(0);
  });
});

describe('a notification over HTTP', () => {
  async function notified(status: number, body: unknown = '') {
    const seen = Promise.withResolvers<unknown>();
    const peer = await httpPeer(async (request, response) => {
      seen.resolve(JSON.parse(await bodyOf(request)));
      respond(response, status, body);
    });
    channel = httpChannel({ url: peer.url, wall: () => now, timers: manualTimers() });
    await channel.notify({ method: 'note', params: { x: 1 } });
    return seen.promise;
  }

  it.each([200, 202, 204])('is handed over with %d', async (status) => {
    expect(await notified(status)).toEqual({ jsonrpc: '2.0', method: 'note', params: { x: 1 } });
  });

  it('that is refused says so', async () => {
    expect((await rejectionOf(notified(503, 'busy'))).code).toBe('GLZ2001');
    expect((await rejectionOf(notified(302))).code).toBe('GLZ2010');
  });
});
