import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallError, type Client, connect } from './index.ts';
import type { FetchLike } from './web.ts';

type Reply = { readonly status: number; readonly text: string } | Error;

const result = (value: unknown) => ({
  status: 200,
  text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: value }),
});
const error = (status: number, error_code: string) => ({
  status,
  text: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'no', data: { error_code } } }),
});
const cut = new TypeError('fetch failed');
const refused = new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });

describe('calls by POST', () => {
  const replies: Reply[] = [];
  const requests: Parameters<FetchLike>[] = [];
  let client: Client;
  const fetch: FetchLike = async (...request) => {
    requests.push(request);
    const reply = replies.shift() ?? result('no more');
    if (reply instanceof Error) throw reply;
    return { status: reply.status, text: async () => reply.text };
  };
  const outcome = async (promise: Promise<unknown>): Promise<unknown> => {
    const settled = promise.catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(120_000);
    return settled;
  };

  beforeEach(() => {
    vi.useFakeTimers();
    replies.length = requests.length = 0;
    client = connect({ url: 'http://server.example/base/', key: ' the-key\n', fetch });
  });
  afterEach(() => {
    client.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('carry method, params and key, and follow nobody elsewhere', async () => {
    replies.push(result({ items: [] }));
    expect(await client.call('task.list', { limit: 3 })).toEqual({ items: [] });
    const [[url, request] = ['', null]] = requests;
    expect(url).toBe('http://server.example/base/rpc');
    expect(request).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer the-key' },
      redirect: 'manual',
      credentials: 'omit',
    });
    const sent = { jsonrpc: '2.0', id: 1, method: 'task.list', params: { limit: 3 } };
    expect(JSON.parse(request?.body ?? '')).toEqual(sent);
  });

  it.each([
    ['cut', cut],
    ['cut in its head', { status: 200, text: '' }],
    ['cut in its body', { status: 200, text: '{"jsonrpc":"2.0","resu' }],
    ['answered by a proxy', { status: 502, text: '<h1>Bad Gateway</h1>' }],
    ['answered by a server that stops', error(503, 'GLZ9002')],
  ])('that read are sent again when they are %s', async (_, reply) => {
    replies.push(reply, reply, result(1));
    expect(await outcome(client.call('task.list'))).toBe(1);
    expect(requests).toHaveLength(3);
  });

  it('that write are sent again only where nothing was sent before', async () => {
    const task = { protocol: 'p/v1', method: 'm' };
    replies.push(refused, refused, result(1));
    expect(await outcome(client.call('task.submit', task))).toBe(1);
    replies.push(cut);
    expect(await outcome(client.call('task.submit', task))).toMatchObject({ outcome: 'unknown', cause: cut });
    replies.push(error(503, 'GLZ9002'));
    expect(await outcome(client.call('task.submit', task))).toBeInstanceOf(CallError);
    expect(requests).toHaveLength(5);
  });

  it('are given up after three tries where the server never was there, later after their time', async () => {
    replies.push(...Array.from({ length: 1000 }, () => refused));
    expect(await outcome(client.call('task.list'))).toMatchObject({
      trouble: 'unreachable',
      outcome: 'not_sent',
    });
    expect(requests).toHaveLength(3);
    replies.length = 0;
    await client.call('task.list');
    replies.push(...Array.from({ length: 1000 }, () => refused));
    expect(await outcome(client.call('task.list'))).toMatchObject({ trouble: 'timeout' });
    const patiently = client.call('task.list', {}, { timeout_ms: 100_000 });
    expect(await outcome(patiently)).toMatchObject({ trouble: 'unreachable' });
  });

  it.each([
    [404, '<h1>Not found</h1>', /answered HTTP 404, and not as Gleitzeit does/],
    [200, '<h1>Welcome</h1>', /answered HTTP 200/],
    [301, '', /redirects elsewhere/],
    [0, '', /redirects elsewhere/],
  ])('tell what is no Gleitzeit: %d %s', async (status, text, message) => {
    replies.push({ status, text });
    expect(await outcome(client.call('task.list'))).toMatchObject({
      trouble: 'unusable',
      message: expect.stringMatching(message),
    });
    expect(requests).toHaveLength(1);
  });

  it.each([
    [{ id: 2, result: 1 }],
    [{ id: null, result: 1 }],
    [{ id: 2, error: { code: 1, message: 'no' } }],
  ])('refuse an answer to another request: %j', async (answer) => {
    replies.push({ status: 200, text: JSON.stringify({ jsonrpc: '2.0', ...answer }) });
    expect(await outcome(client.call('task.list'))).toMatchObject({
      trouble: 'unusable',
      message: expect.stringContaining('answered another request'),
    });
    expect(requests).toHaveLength(1);
  });

  it('give up an answer that is too large, and read no more of it', async () => {
    let sent = 0;
    const cancelled = Promise.withResolvers<void>();
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull: (stream) => {
          sent += 1;
          stream.enqueue(new Uint8Array(1000).fill(0x20));
        },
        cancel: () => cancelled.resolve(),
      });
    const text = () => Promise.reject(new Error('not by pieces'));
    const small = connect({
      url: 'http://server.example',
      max_answer_bytes: 10_000,
      fetch: async () => ({ status: 200, body: endless(), text }),
    });
    expect(await outcome(small.call('task.list'))).toMatchObject({
      trouble: 'unusable',
      message: 'http://server.example/rpc answered task.list with more than 10000 bytes',
      hint: expect.stringContaining('max_answer_bytes'),
    });
    await cancelled.promise;
    expect(sent).toBeLessThan(15);
    small.close();
    const whole = new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'ünï' }));
    const fits = connect({ url: 'http://server.example', max_answer_bytes: 100, fetch: async () => whole });
    expect(await outcome(fits.call('task.list'))).toBe('ünï');
    fits.close();
    const empty = connect({
      url: 'http://server.example',
      fetch: async () => new Response(null, { status: 301 }),
    });
    expect(await outcome(empty.call('task.list'))).toMatchObject({
      message: expect.stringContaining('redirects elsewhere'),
    });
    empty.close();
    const plain = connect({ url: 'http://server.example', max_answer_bytes: 10, fetch });
    expect(await outcome(plain.call('task.list'))).toMatchObject({ trouble: 'unusable' });
    plain.close();
  });

  it.each([401, 403, 429])('tell what the server says with HTTP %d', async (status) => {
    replies.push(error(status, 'GLZ4001'));
    expect(await outcome(client.call('task.list'))).toMatchObject({
      error_code: 'GLZ4001',
      method: 'task.list',
    });
    expect(requests).toHaveLength(1);
  });

  it('are sent some at a time, and those that wait for their turn can be given up', async () => {
    const open: (() => void)[] = [];
    const slow: FetchLike = async () => {
      await new Promise<void>((resolve) => open.push(resolve));
      return { status: 200, text: async () => result(1).text };
    };
    const busy = connect({ url: 'http://server.example', fetch: slow });
    const calls = Array.from({ length: 64 }, () => busy.call('task.list'));
    const stop = new AbortController();
    const waiting = busy.call('task.list', {}, { signal: stop.signal }).catch((thrown: unknown) => thrown);
    const next = busy.call('task.list');
    await vi.advanceTimersByTimeAsync(0);
    expect(open).toHaveLength(64);
    stop.abort('enough');
    expect(await waiting).toBe('enough');
    for (const answer of open.splice(0)) answer();
    await Promise.all(calls);
    await vi.advanceTimersByTimeAsync(0);
    expect(open).toHaveLength(1);
    open.pop()?.();
    expect(await next).toBe(1);
    busy.close();
  });
});
