import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import { examplesSuite } from '../examples.suite.ts';
import { rememberingLogger } from '../testing/quiet.suite.ts';
import type { Caller, HttpRequest, Route } from './route.ts';
import {
  call,
  post,
  rawClient,
  request,
  type SocketClient,
  type Started,
  socketClient,
  start,
  stopAll,
} from './testing.suite.ts';

describe('the rules of JSON-RPC', () => {
  let at: Started;
  let client: SocketClient;
  let sentinel = 0;

  beforeAll(async () => {
    at = await start({ methods: { answers_later: () => new Promise(setImmediate) } });
    client = await socketClient(at.url);
  });
  afterAll(stopAll);

  examplesSuite('POST', async (text) => {
    const { status, text: said } = await post(at.url, text);
    expect(status).toBe(said === '' ? 204 : 200);
    return { text: said === '' ? null : said };
  });

  // What is answered comes before the answer to a call sent after it; nothing means that only that answer comes.
  examplesSuite('WebSocket', async (text) => {
    const id = `sentinel ${++sentinel}`;
    client.send(text);
    client.send(call('answers_later', [], id));
    const first = await client.next();
    if (first.includes(id)) return { text: null };
    expect(await client.next()).toContain(id);
    return { text: first };
  });
});

describe('requests that are none of ours', () => {
  afterEach(stopAll);

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=utf-16'],
    ['application/jsonp'],
    ['text/plain; application/json'],
  ])('are refused with 415 for the content type %s', async (type) => {
    const { url } = await start();
    const { status, json } = await post(url, call('echo'), { 'content-type': type });
    expect(status).toBe(415);
    expect(json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });

  it.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'])(
    'are served for the content type %s',
    async (type) => {
      const { url } = await start();
      expect((await post(url, call('echo'), { 'content-type': type })).status).toBe(200);
    },
  );

  it('are refused where they are compressed', async () => {
    const { url } = await start();
    expect((await post(url, call('echo'), { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('hear what is possible instead', async () => {
    const { url } = await start({ routes: [health] });
    const got = await request(`${url}/rpc`);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect(got.text).toContain('WebSocket');
    const posted = await request(`${url}/health`, { method: 'POST', body: '{}' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await request(`${url}/rpc`, { method })).status).toBe(405);
  });

  it('hear what is there', async () => {
    const { url } = await start({ routes: [health] });
    const { status, json } = await request(`${url}/nothing?ticket=secret`, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'strange' },
    });
    expect(status).toBe(404);
    expect(json()).toMatchObject({
      error: {
        message: 'nothing is at /nothing',
        data: { hint: 'there is JSON-RPC by POST /rpc or over a WebSocket, GET /health' },
      },
    });
  });

  it('with a broken path are told so', async () => {
    const { url } = await start();
    expect((await request(`${url}/%zz`)).status).toBe(400);
  });
});

const health: Route = {
  kind: 'get',
  path: '/health',
  access: 'open',
  answer: () => ({ status: 200, type: 'text/plain', body: 'well', headers: { 'cache-control': 'no-store' } }),
};

describe('names and origins', () => {
  afterEach(stopAll);

  it('refuse a name that is not ours, over POST and WebSocket', async () => {
    const { port } = await start({ routes: [{ ...health, path: '/guarded', access: 'viewer' }] });
    for (const first of ['GET /guarded HTTP/1.1', 'POST /rpc HTTP/1.1']) {
      const client = await rawClient(port);
      client.write(`${first}\r\nhost: evil.example\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      expect(await client.ended).toMatch(/^HTTP\/1.1 403 .*allowed_hosts/s);
    }
    const upgrade = await rawClient(port);
    upgrade.write(`${upgradeRequest('evil.example')}\r\n`);
    expect(await upgrade.ended).toMatch(/^HTTP\/1.1 403 /);
  });

  it('are no matter to whoever looks whether we live', async () => {
    const { port } = await start({ routes: [health] });
    for (const host of ['host: gleitzeit.internal\r\n', 'host: 10.0.0.7:8000\r\n']) {
      const client = await rawClient(port);
      client.write(`GET /health HTTP/1.1\r\n${host}connection: close\r\n\r\n`);
      expect(await client.ended).toMatch(/^HTTP\/1.1 200 /);
    }
    const page = await rawClient(port);
    page.write('GET /health HTTP/1.1\r\nhost: x\r\norigin: http://evil.example\r\nconnection: close\r\n\r\n');
    expect(await page.ended).toMatch(/^HTTP\/1.1 403 /);
  });

  it('refuse pages of others, over POST and WebSocket', async () => {
    const { url, port } = await start();
    const { status, text } = await post(url, call('echo'), { origin: 'http://evil.example' });
    expect([status, text]).toEqual([403, expect.stringContaining('allowed_origins')]);
    const upgrade = await rawClient(port);
    upgrade.write(`${upgradeRequest(`localhost:${port}`)}origin: http://evil.example\r\n\r\n`);
    expect(await upgrade.ended).toMatch(/^HTTP\/1.1 403 /);
  });

  it('let pages of our own in', async () => {
    const { url } = await start();
    expect((await post(url, call('echo'), { origin: url })).status).toBe(200);
    const client = await socketClient(url, { origin: url });
    client.send(call('echo', ['hello']));
    expect(JSON.parse(await client.next())).toMatchObject({ result: ['hello'] });
  });

  it('let pages of an allowed origin ask first, and read the answer', async () => {
    const origin = 'https://dashboard.example';
    const { url } = await start({ allowed_origins: [origin] });
    const headers = { origin, 'access-control-request-method': 'POST' };
    const asked = await request(`${url}/rpc`, { method: 'OPTIONS', headers });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
    const answered = await post(url, call('echo'), { origin });
    expect(answered.status).toBe(200);
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answered.headers.get('vary')).toBe('origin');
  });
});

function upgradeRequest(host: string): string {
  const lines = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
  return `GET /rpc HTTP/1.1\r\nhost: ${host}\r\n${[...lines, key].join('\r\n')}\r\n`;
}

describe('callers', () => {
  afterEach(stopAll);

  const callers: Readonly<Record<string, Caller>> = {
    'Bearer view': { name: 'reader', role: 'viewer' },
    'Bearer all': { name: 'root', role: 'admin' },
  };
  const authenticate = async ({ headers, query }: HttpRequest) =>
    callers[headers.authorization ?? `Bearer ${query.get('ticket')}`] ?? null;
  const methods = { whoami: ({ context }: { context: { caller: Caller } }) => context.caller };
  const metrics: Route = {
    kind: 'get',
    path: '/metrics',
    access: 'operator',
    answer: ({ caller }) => ({ status: 200, type: 'text/plain', body: `for ${caller?.name}` }),
  };

  it('are known to the methods, over POST and WebSocket', async () => {
    const { url } = await start({ authenticate, methods });
    const answer = await post(url, call('whoami'), { authorization: 'Bearer view' });
    expect(answer.json()).toMatchObject({ result: { name: 'reader', role: 'viewer' } });
    const client = await socketClient(url, { authorization: 'Bearer all' });
    client.send(call('whoami'));
    expect(JSON.parse(await client.next())).toMatchObject({ result: { name: 'root' } });
  });

  it('are refused with 401 where they are not known', async () => {
    const { url, port } = await start({ authenticate, routes: [metrics] });
    const answer = await post(url, call('whoami'));
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: 4001 } });
    expect((await request(`${url}/metrics`)).status).toBe(401);
    const upgrade = await rawClient(port);
    upgrade.write(`${upgradeRequest('localhost')}\r\n`);
    expect(await upgrade.ended).toMatch(/^HTTP\/1.1 401 .*www-authenticate: Bearer/s);
  });

  it('need the role of the route', async () => {
    const { url } = await start({ authenticate, routes: [metrics, health] });
    const ask = (authorization: string) => request(`${url}/metrics`, { headers: { authorization } });
    expect((await ask('Bearer view')).status).toBe(403);
    expect((await ask('Bearer all')).text).toBe('for root');
    expect((await request(`${url}/metrics?ticket=all`)).text).toBe('for root');
    expect((await request(`${url}/health`)).text).toBe('well');
  });

  it('cannot be left out where others can reach the server', async () => {
    await expect(start({ on: { host: '0.0.0.0', port: 0 } })).rejects.toThrow(/needs keys/);
    await expect(start({ on: { host: 'gleitzeit.example', port: 0 } })).rejects.toThrow(GleitzeitError);
  });
});

describe('plain questions', () => {
  afterEach(stopAll);

  it('are answered, and HEAD without the body', async () => {
    const { url } = await start({ routes: [health] });
    const got = await request(`${url}/health`);
    expect([got.status, got.text, got.headers.get('content-type')]).toEqual([200, 'well', 'text/plain']);
    expect(got.headers.get('cache-control')).toBe('no-store');
    const head = await request(`${url}/health`, { method: 'HEAD' });
    expect([head.text, head.headers.get('content-length')]).toEqual(['', '4']);
  });

  it.each([
    [new GleitzeitError('GLZ1010', 'no such thing'), 404, 'no such thing'],
    [new GleitzeitError('GLZ1005', 'wrong'), 400, 'wrong'],
    [new GleitzeitError('GLZ3001', 'no store'), 503, 'no store'],
    [new GleitzeitError('GLZ2001', 'broken'), 502, 'broken'],
    [new Error('secret-4711'), 500, 'internal error'],
  ])('that fail with %s say as much as they may', async (thrown, status, message) => {
    const answer = () => Promise.reject(thrown);
    const logger = rememberingLogger();
    const { url } = await start({ logger, routes: [{ kind: 'get', path: '/x', access: 'viewer', answer }] });
    const got = await request(`${url}/x`);
    expect([got.status, got.json()]).toMatchObject([status, { error: { message } }]);
    expect(got.text).not.toContain('4711');
    expect(logger.lines.length).toBe(thrown instanceof GleitzeitError ? 0 : 1);
  });
});
