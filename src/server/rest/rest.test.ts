import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/json.ts';
import { chain } from '../testing/caller.suite.ts';
import { serveRest } from '../testing/rest.suite.ts';

let server: Awaited<ReturnType<typeof serveRest>>;
const ask: (typeof server)['ask'] = (...asked) => server.ask(...asked);

beforeAll(async () => {
  server = await serveRest();
});
afterAll(() => server.close());

const errorOf = (json: JsonObject) => json['error'] as { message: string; data: JsonObject };
const echo = (text: Json) => ({ id: 'a', protocol: 'test/v1', method: 'echo', params: { text } });

describe('agents over REST', () => {
  it('are registered, read, changed and removed', async () => {
    const entry = {
      name: 'Writer',
      url: 'http://127.0.0.1:9/',
      auth_config: { type: 'bearer', token: 'secret-1' },
    };
    const made = await ask('POST', '/api/v1/agents', { body: entry });
    expect(made).toMatchObject({
      status: 201,
      headers: { location: '/api/v1/agents/Writer', 'content-type': 'application/json; charset=utf-8' },
      json: { name: 'Writer', protocol: 'simple-a2a', timeout: 30_000, version: 1 },
    });
    const again = await ask('POST', '/api/v1/agents', { body: entry });
    expect(again).toMatchObject({ status: 409, json: { error: { data: { error_code: 'GLZ1011' } } } });
    const read = await ask('GET', '/api/v1/agents/Writer');
    expect(read).toMatchObject({ status: 200, json: { auth_config: { type: 'bearer', token: '***' } } });
    expect(made.text + again.text + read.text).not.toContain('secret-1');
    const patched = await ask('PATCH', '/api/v1/agents/Writer', { body: { timeout: 5000 } });
    expect(patched).toMatchObject({
      status: 200,
      json: { timeout: 5000, auth_config: { type: 'bearer' }, version: 2 },
    });
    expect(await ask('DELETE', '/api/v1/agents/Writer')).toMatchObject({ status: 204, text: '' });
    expect(await ask('DELETE', '/api/v1/agents/Writer')).toMatchObject({
      status: 404,
      json: { error: { data: { error_code: 'GLZ1010' } } },
    });
  });

  it('are said anew by PUT: what is left out has its default again', async () => {
    await ask('POST', '/api/v1/agents', {
      body: {
        name: 'P',
        url: 'http://127.0.0.1:9/',
        timeout: 5,
        description: 'one',
        protocol: 'jsonrpc-2.0',
      },
    });
    const url = 'http://127.0.0.1:10/';
    expect(await ask('PUT', '/api/v1/agents/P', { body: { url } })).toMatchObject({
      status: 200,
      json: { url, timeout: 30_000, description: null, protocol: 'simple-a2a' },
    });
    const { json } = await ask('PUT', '/api/v1/agents/P', { body: { timeout: 5 } });
    expect(errorOf(json).data).toMatchObject({
      field: 'url',
      reason: 'is missing',
      hint: expect.stringContaining('PATCH'),
    });
    // What was read can be sent back, with what is to change in it.
    const read = await ask('GET', '/api/v1/agents/P');
    const put = await ask('PUT', '/api/v1/agents/P', { body: { ...read.json, description: 'two' } });
    expect(put).toMatchObject({ status: 200, json: { description: 'two', url } });
    const late = await ask('PUT', '/api/v1/agents/P', { body: { ...read.json, description: 'three' } });
    expect(late).toMatchObject({ status: 409, json: { error: { data: { error_code: 'GLZ1013' } } } });
    const odd = await ask('PATCH', '/api/v1/agents/P', { body: { timout: 5 } });
    expect(odd.status).toBe(400);
    expect(errorOf(odd.json).data['hint']).toContain('timeout');
  });

  it.each([
    'My Agent',
    'Übersetzer 語',
    '__proto__',
    'constructor',
    'a/b',
    '100%',
    'discover',
    'a?b#c',
    'x'.repeat(255),
  ])('are found under whatever name they have: %j', async (name) => {
    const at = `/api/v1/agents/${encodeURIComponent(name)}`;
    const made = await ask('POST', '/api/v1/agents', {
      body: JSON.parse(JSON.stringify({ name, url: 'http://127.0.0.1:9/' })),
    });
    expect(made).toMatchObject({ status: 201, headers: { location: at } });
    expect(await ask('GET', at)).toMatchObject({ status: 200, json: { name } });
    expect((await server.house.ask('agent.get', { name }))['name']).toBe(name);
    expect((await ask('DELETE', at)).status).toBe(204);
  });

  it('are pinged, discovered and listed page by page', async () => {
    for (const name of ['L1', 'L2', 'L3'])
      await ask('POST', '/api/v1/agents', { body: { name, url: 'http://127.0.0.1:9/', protocol: 'auto' } });
    for (const method of ['GET', 'POST'])
      expect(await ask(method, '/api/v1/agents/L1/ping')).toMatchObject({
        status: 200,
        json: { name: 'L1', well: true },
      });
    expect(await ask('POST', '/api/v1/agents/none/ping')).toMatchObject({ status: 404 });
    expect(
      await ask('POST', '/api/v1/agents/discover', { body: { url: 'http://127.0.0.1:9/' } }),
    ).toMatchObject({
      status: 200,
      json: { found: false },
    });
    const first = await ask('GET', '/api/v1/agents?protocol=auto&limit=2');
    expect(first.json).toMatchObject({
      items: [{ name: 'L1' }, { name: 'L2' }],
      next_cursor: expect.any(String),
    });
    const cursor = encodeURIComponent(String(first.json['next_cursor']));
    expect((await ask('GET', `/api/v1/agents?protocol=auto&limit=2&cursor=${cursor}`)).json).toMatchObject({
      items: [{ name: 'L3' }],
      next_cursor: null,
    });
  });
});

describe('workflows and runs over REST', () => {
  it('are defined, executed by name, followed and listed', async () => {
    const name = 'Über chain';
    const made = await ask('POST', '/api/v1/workflows', { body: { ...chain, name, version: '1' } });
    const at = `/api/v1/workflows/${encodeURIComponent(name)}`;
    expect(made).toMatchObject({
      status: 201,
      headers: { location: at },
      json: { name, version: '1', created: true },
    });
    const same = await ask('POST', '/api/v1/workflows', { body: { ...chain, name, version: '1' } });
    expect(same).toMatchObject({ status: 200, json: { created: false } });
    expect(await ask('GET', at)).toMatchObject({
      status: 200,
      json: { items: [{ name, version: '1', tasks: 2 }] },
    });
    expect(await ask('GET', '/api/v1/workflows/none')).toMatchObject({ status: 404 });
    const run = await ask('POST', `${at}/execute`, { body: { version: '1', input: { x: 1 } } });
    expect(run).toMatchObject({ status: 201, json: { status: 'running' } });
    const here = String(run.headers['location']);
    expect(here).toBe(`/api/v1/runs/${run.json['workflow_id']}`);
    expect(await ask('GET', `${here}/results?wait=10000`)).toMatchObject({
      status: 200,
      json: { status: 'completed', results: { second: { sum: 12 } } },
    });
    expect(await ask('GET', here)).toMatchObject({
      status: 200,
      json: { status: 'completed', total: 2, open: 0 },
    });
    const steps = await ask('GET', `${here}/steps?limit=1`);
    expect(steps.json).toMatchObject({
      items: [{ id: 'first', status: 'completed' }],
      next_cursor: expect.any(String),
    });
    const listed = await ask('GET', `/api/v1/runs?name=${encodeURIComponent(name)}&status=completed,failed`);
    expect(listed.json).toMatchObject({ items: [{ name, status: 'completed' }], next_cursor: null });
    const both = await ask(
      'GET',
      `/api/v1/runs?name=${encodeURIComponent(name)}&status=running&status=failed`,
    );
    expect(both.json).toMatchObject({ items: [] });
    // Executed without a body, the newest version is taken, and `__proto__` is nobody's.
    expect((await ask('POST', `${at}/execute`)).status).toBe(201);
    expect((await ask('POST', '/api/v1/workflows/__proto__/execute')).status).toBe(404);
  });

  it('are started from a definition in the body, cancelled, paused, resumed and retried', async () => {
    const tasks = [{ id: 'a', protocol: 'test/v1', method: 'hold' }];
    const run = await ask('POST', '/api/v1/runs', { body: { workflow: { workflow_id: 'my run/1', tasks } } });
    const at = '/api/v1/runs/my%20run%2F1';
    expect(run).toMatchObject({ status: 201, headers: { location: at } });
    expect(await ask('POST', `${at}/pause`)).toMatchObject({ status: 200, json: { status: 'paused' } });
    expect(await ask('POST', `${at}/pause`, { body: {} })).toMatchObject({ status: 200 });
    expect(await ask('POST', `${at}/resume`)).toMatchObject({ status: 200, json: { status: 'running' } });
    expect(await ask('POST', `${at}/retry`)).toMatchObject({
      status: 409,
      json: { error: { data: { error_code: 'GLZ1011' } } },
    });
    expect(await ask('POST', `${at}/cancel`, { body: { reason: 'no longer needed' } })).toMatchObject({
      status: 200,
      json: { status: 'cancelled' },
    });
    const retried = await ask('POST', `${at}/retry`, { headers: { 'idempotency-key': 'once' } });
    expect(retried).toMatchObject({ status: 201, json: { retry_of: 'my run/1' } });
    expect(retried.headers['location']).toBe(`/api/v1/runs/${retried.json['workflow_id']}`);
    const again = await ask('POST', `${at}/retry`, { headers: { 'idempotency-key': 'once' } });
    expect(again.json['workflow_id']).toBe(retried.json['workflow_id']);
    await ask('POST', `${retried.headers['location']}/cancel`);
  });

  it('know nothing of what is not there', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/steps'],
      ['GET', '/results'],
      ['POST', '/cancel'],
      ['POST', '/retry'],
    ] as const)
      for (const id of ['none', '__proto__', '%F0%9F%98%80'])
        expect(await ask(method, `/api/v1/runs/${id}${path}`), path).toMatchObject({
          status: 404,
          json: { error: { code: 1010, data: { error_code: 'GLZ1010' } } },
        });
  });

  it('take a key by header or in the body, and refuse another body under it', async () => {
    const body = { workflow: { tasks: [echo('one')] } };
    const headers = { 'idempotency-key': 'k1' };
    const first = await ask('POST', '/api/v1/runs', { body, headers });
    const second = await ask('POST', '/api/v1/runs', { body: { ...body, idempotency_key: 'k1' } });
    expect(second.json['workflow_id']).toBe(first.json['workflow_id']);
    const other = await ask('POST', '/api/v1/runs', {
      body: { workflow: { tasks: [echo('two')] } },
      headers,
    });
    expect(other).toMatchObject({ status: 409, json: { error: { data: { error_code: 'GLZ1009' } } } });
  });

  it('say of a wrong definition what is wrong and where, as JSON-RPC does', async () => {
    const body = { workflow: { tasks: [{ id: 'a', protocol: 'test/v1', method: 'nope' }] } };
    const { status, json } = await ask('POST', '/api/v1/runs', { body });
    const { error } = await server.house.call('workflow.submit', body);
    expect(status).toBe(400);
    expect(json['error']).toEqual(error);
    expect(errorOf(json).data).toMatchObject({ error_code: 'GLZ1004', field: '/workflow/tasks/0/method' });
  });
});
