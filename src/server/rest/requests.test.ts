import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { serveRest } from '../testing/rest.suite.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(...given: Parameters<typeof serveRest>) {
  const server = await serveRest(...given);
  closing.push(server.close);
  return server;
}

const errorOf = (json: JsonObject) => json['error'] as { message: string; data: JsonObject };
const agent = { name: 'A', url: 'http://127.0.0.1:9/' };

describe('a request over REST', () => {
  it('needs a key, and the role of the method behind it', async () => {
    const { ask, url } = await open();
    expect(await ask('GET', '/api/v1/agents', { role: null })).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      json: { error: { data: { error_code: 'GLZ4001' } } },
    });
    const wrong = { authorization: 'Bearer glz_no_such' };
    expect((await ask('GET', '/api/v1/runs', { role: null, headers: wrong })).status).toBe(401);
    for (const role of ['viewer', 'operator'] as const)
      expect(await ask('POST', '/api/v1/agents', { body: agent, role })).toMatchObject({
        status: 403,
        json: { error: { data: { error_code: 'GLZ4002' } } },
      });
    expect((await ask('POST', '/api/v1/runs', { body: {}, role: 'viewer' })).status).toBe(403);
    expect((await ask('GET', '/api/v1/agents', { role: 'viewer' })).status).toBe(200);
    expect((await ask('GET', '/api/v1/openapi.json', { role: null })).status).toBe(401);
    expect(url).toContain('127.0.0.1');
  });

  it('is told which methods are possible, and where something is', async () => {
    const { ask } = await open();
    const wrong = await ask('DELETE', '/api/v1/agents');
    expect(wrong).toMatchObject({ status: 405, headers: { allow: 'GET, POST, HEAD' } });
    expect(errorOf(wrong.json).data['hint']).toBe('possible are GET, POST, HEAD');
    expect(await ask('POST', '/api/v1/agents/A', { body: {} })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, PUT, PATCH, DELETE, HEAD' },
    });
    expect(await ask('OPTIONS', '/api/v1/runs/x/cancel')).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    });
    for (const path of ['', '/', '/agent', '/agents/', '/agents//ping', '/runs/x/stops', '/agents/a/b/c'])
      expect(await ask('GET', `/api/v1${path}`), path).toMatchObject({
        status: 404,
        json: { error: { data: { error_code: 'GLZ1010' } } },
      });
    const near = await ask('GET', '/api/v1/agent');
    expect(errorOf(near.json).data['hint']).toBe(
      'there is /api/v1/agents, /api/v1/workflows, /api/v1/runs, /api/v1/openapi.json',
    );
    expect((await ask('GET', '/api/v2/agents')).json).toMatchObject({
      error: { data: { hint: expect.stringContaining('REST below /api/v1') } },
    });
    expect(await ask('GET', '/api/v1/agents/%zz')).toMatchObject({ status: 400 });
    const head = await ask('HEAD', '/api/v1/agents');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  });

  it('brings JSON, which is an object, or it is refused before anybody looks inside', async () => {
    const { ask } = await open();
    const post = (raw: string | Buffer, type = 'application/json') =>
      ask('POST', '/api/v1/agents', { raw, headers: { 'content-type': type } });
    expect(await post('name=A', 'application/x-www-form-urlencoded')).toMatchObject({
      status: 415,
      json: { error: { data: { error_code: 'GLZ4006', field: 'content-type' } } },
    });
    expect((await post('{}', 'text/plain')).status).toBe(415);
    expect((await ask('POST', '/api/v1/agents', { raw: '{}' })).status).toBe(415);
    const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await ask('POST', '/api/v1/agents', { raw: '{}', headers: zipped })).status).toBe(415);
    for (const raw of ['{"name":', '{"a":1}}', Buffer.from([0x7b, 0xff, 0x7d]), "{'a':1}"])
      expect(await post(raw), String(raw)).toMatchObject({
        status: 400,
        json: { error: { code: -32700, data: { error_code: 'GLZ4005' } } },
      });
    for (const raw of ['[]', '"A"', '5', 'null', 'true'])
      expect(await post(raw), raw).toMatchObject({
        status: 400,
        json: { error: { data: { error_code: 'GLZ4006', hint: 'give every param its name' } } },
      });
    expect(await post(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toMatchObject({
      status: 400,
      json: { error: { data: { error_code: 'GLZ4006' } } },
    });
    expect((await post(JSON.stringify(agent), 'application/json; charset=utf-8')).status).toBe(201);
    expect(await ask('POST', '/api/v1/agents')).toMatchObject({
      status: 400,
      json: { error: { data: { error_code: 'GLZ1012' } } },
    });
  });

  it('may be so large and no larger', async () => {
    const { ask } = await open({ body_bytes: 1000 });
    const large = { ...agent, description: 'x'.repeat(2000) };
    expect(await ask('POST', '/api/v1/agents', { body: large })).toMatchObject({
      status: 413,
      json: { error: { data: { error_code: 'GLZ1007' } } },
    });
    expect((await ask('POST', '/api/v1/agents', { body: agent })).status).toBe(201);
  });

  it('is judged by the params of its method, wherever they stand', async () => {
    const { ask } = await open();
    const refused = async (path: string) => {
      const { status, json } = await ask('GET', path);
      return { status, ...errorOf(json).data };
    };
    expect(await refused('/api/v1/runs?limit=many')).toMatchObject({ status: 400, field: 'limit' });
    expect(await refused('/api/v1/runs?limit=0')).toMatchObject({ status: 400, field: 'limit' });
    expect(await refused('/api/v1/runs?status=dead')).toMatchObject({ status: 400 });
    expect(await refused('/api/v1/runs?limit=1&limit=2')).toMatchObject({
      field: 'limit',
      reason: 'stands in the query more than once',
    });
    expect(await refused('/api/v1/runs?cursor=zzz')).toMatchObject({ status: 400, field: 'cursor' });
    const odd = await refused('/api/v1/runs?stauts=failed');
    expect(odd).toMatchObject({ status: 400, hint: expect.stringContaining('status') });
    expect(await refused('/api/v1/runs?__proto__=1')).toMatchObject({ status: 400 });
    const twice = await ask('PATCH', '/api/v1/agents/A', { body: { name: 'B' } });
    expect(errorOf(twice.json).data).toMatchObject({
      field: 'name',
      reason: 'stands in the path, and differently in the body',
    });
    const proto = await ask('POST', '/api/v1/agents', {
      raw: '{"__proto__":{"url":"http://127.0.0.1:9/"},"name":"A"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(proto.status).toBe(400);
  });

  it('comes from a page only where that is allowed, and by a name that is ours', async () => {
    const { ask } = await open({}, { allowed_origins: ['https://board.example'] });
    const from = (origin: string, more: Record<string, string> = {}) => ({ headers: { origin, ...more } });
    expect((await ask('GET', '/api/v1/agents', from('https://evil.example'))).status).toBe(403);
    const own = await ask('GET', '/api/v1/agents', from('https://board.example'));
    expect(own).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'https://board.example' },
    });
    const asks = from('https://board.example', { 'access-control-request-method': 'DELETE' });
    const preflight = await ask('OPTIONS', '/api/v1/agents/A', { ...asks, role: null });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, POST, PUT, PATCH, DELETE');
    expect(String(preflight.headers['access-control-allow-headers'])).toContain('idempotency-key');
    const elsewhere = { headers: { host: 'rebound.example' } };
    expect((await ask('GET', '/api/v1/agents', elsewhere)).status).toBe(403);
  });

  it('is not taken any more by a server that stops', async () => {
    const { ask, listener } = await open();
    await listener.quiet();
    for (const method of ['GET', 'POST'])
      expect(await ask(method, '/api/v1/agents')).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        json: { error: { data: { error_code: 'GLZ9002' } } },
      });
  });

  it('is told nothing of mistakes of ours', async () => {
    const { ask, house } = await open();
    house.faceParts.agents.list = () => {
      throw new TypeError('a secret of the house');
    };
    const { status, text } = await ask('GET', '/api/v1/agents');
    expect(status).toBe(500);
    expect(text).toContain('GLZ9001');
    expect(text).not.toContain('secret of the house');
  });
});
