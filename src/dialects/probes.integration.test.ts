import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Probed, Provider } from '../core/ports/provider.ts';
import { realParts } from './jsonrpc/channels.suite.ts';
import { createProvider, providerTypes } from './registry.ts';
import { type Reply, type Service, startService } from './rest/peer.suite.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function service(answer: (seen: Service['seen'][number]) => Reply | null): Promise<Service> {
  const started = await startService(answer);
  ends.push(started.stop);
  return started;
}

function open(type: string, config: object): Provider {
  const protocol = type === 'llm' ? 'llm/v1' : 'act/v1';
  const provider = createProvider({ id: 'one', protocol, type, config }, realParts);
  ends.push(async () => provider.close?.());
  return provider;
}

function ask({ probe }: Provider): Promise<Probed & { readonly asked: string }> {
  if (probe === undefined) throw new Error('it cannot be asked how it is');
  const { asked } = probe;
  return probe.ask(AbortSignal.timeout(10_000)).then((found) => ({ ...found, asked }));
}

const auth = { type: 'bearer', token: '${secrets.key}' };
const methods = { act: { path: '/act' } };
const document = '{ act }';

describe('every type of provider', () => {
  const urls = { url: 'http://127.0.0.1:9', command: ['true'], image: 'a:1', module: 'a', class: 'A' };
  const more: Readonly<Record<string, object>> = {
    'jsonrpc-ws': { url: 'ws://127.0.0.1:9' },
    llm: { api: 'openai' },
    rest: { methods },
    graphql: { methods: { act: { document } } },
    grpc: { url: 'grpc://127.0.0.1:9', service: 'a.A' },
  };

  it.each([...providerTypes.values()])('can be asked how it is: $type', ({ type, schema, files_only }) => {
    const { properties = {} } = schema as { properties?: Readonly<Record<string, unknown>> };
    const given = Object.entries(urls).filter(
      ([key]) => Object.hasOwn(properties, key) && !(files_only && key === 'url'),
    );
    const provider = open(type, { ...Object.fromEntries(given), ...more[type] });
    expect(provider.probe?.asked).toMatch(/\S/);
  });
});

describe('a service over HTTP that is asked for a page', () => {
  const types: readonly (readonly [string, object, string])[] = [
    ['rest', { methods }, 'GET /api'],
    ['graphql', { methods: { act: { document } } }, 'GET /api'],
    ['simple-a2a', {}, 'GET /api'],
    ['llm', { api: 'openai' }, 'GET /api/models'],
    ['llm', { api: 'anthropic' }, 'GET /api/v1/models'],
  ];

  it.each(types)('is shown who asks, and given nothing to do: %s %j', async (type, config, asked) => {
    const { url, seen } = await service(() => ({ status: 200, json: {} }));
    const provider = open(type, { url: `${url}/api?v=1`, auth, headers: { 'x-of': 'us' }, ...config });
    expect(await ask(provider)).toEqual({ asked, well: true, error: null });
    const [method, path] = asked.split(' ');
    const headers = { authorization: 'Bearer value-of-key', 'x-of': 'us' };
    expect(seen).toMatchObject([{ method, path, query: 'v=1', body: '', headers }]);
  });

  it('takes nothing away from calls: their credentials go on, and fetch a new token where one is refused', async () => {
    let granted = 0;
    let taken = 'Bearer token-1';
    const { url } = await service(({ path, headers }) => {
      if (path === '/token') return { json: { access_token: `token-${++granted}`, token_type: 'Bearer' } };
      return { status: headers.authorization === taken ? 200 : 401, json: {} };
    });
    const oauth = {
      type: 'oauth2',
      token_url: `${url}/token`,
      client_id: 'me',
      client_secret: '${secrets.key}',
    };
    const provider = open('rest', { url, auth: oauth, methods });
    expect(await ask(provider)).toMatchObject({ well: true, error: null });
    taken = 'Bearer token-2';
    expect(await ask(provider)).toMatchObject({ well: true, error: null });
    expect(granted).toBe(2);
  });

  it.each([
    [200, true, null],
    [404, true, null],
    [405, true, null],
    [501, true, null],
    [401, true, 'GLZ2010'],
    [403, true, 'GLZ2010'],
    [500, false, 'GLZ2001'],
    [503, false, 'GLZ2001'],
  ])('is judged by its status: %i', async (status, well, error_code) => {
    const { url } = await service(() => ({ status, body: 'x' }));
    const found = await ask(open('rest', { url, methods }));
    expect([found.well, found.error?.data.error_code ?? null]).toEqual([well, error_code]);
    if (found.error !== null) expect(found.error.data.details).toEqual({ http_status: status });
  });

  it('is there when it leads elsewhere, where nobody follows, and however much it would say', async () => {
    const { url, seen } = await service(({ path }) =>
      path === '/'
        ? { status: 302, headers: { location: '/elsewhere' } }
        : { headers: { 'content-length': String(2 ** 40) } },
    );
    expect(await ask(open('rest', { url, redirects: 3, methods }))).toMatchObject({
      well: true,
      error: null,
    });
    expect(seen.map(({ path }) => path)).toEqual(['/']);
    expect(await ask(open('rest', { url: `${url}/large`, methods }))).toMatchObject({ well: true });
  });

  it('does not look dead while calls take all of its connections', async () => {
    const { url } = await service(({ path }) => (path === '/act' ? null : { status: 200 }));
    const provider = open('rest', { url, connections: 1, methods });
    const end = new AbortController();
    const call = { method: 'act', params: {}, call_id: 'c', task_id: 't', workflow_id: null, attempt: 1 };
    const running = provider.call({ ...call, signal: end.signal });
    expect(await ask(provider)).toMatchObject({ well: true });
    end.abort();
    await running;
  });
});

describe('a JSON-RPC service that is asked what it has', () => {
  const rpc = (error: object) => (seen: { body: string }) => {
    const { id } = JSON.parse(seen.body) as { id: string };
    return { jsonrpc: '2.0', id, error };
  };
  const unknown = rpc({ code: -32601, message: 'no such method' });
  const own = rpc({ code: -32000, message: 'what is that?' });

  it.each<[string, (seen: { body: string }) => Reply, boolean]>([
    ['does not know the question', (seen) => ({ json: unknown(seen) }), true],
    ['does not know it, and says so by status too', (seen) => ({ status: 404, json: unknown(seen) }), true],
    ['has words of its own for that', (seen) => ({ json: own(seen) }), true],
    ['answers with a page', () => ({ body: '<h1>It works!</h1>' }), false],
    ['lets nobody in', () => ({ status: 401, json: { error: 'who are you?' } }), false],
    ['lets nobody in, in JSON-RPC', (seen) => ({ status: 401, json: own(seen) }), false],
    ['is not at this address', () => ({ status: 404, body: 'not found' }), false],
    ['is behind a proxy that cannot reach it', (seen) => ({ status: 503, json: own(seen) }), false],
    ['fails', () => ({ status: 500, body: 'oh' }), false],
  ])('and %s', async (_, reply, well) => {
    const { url, seen } = await service(reply);
    const config = { url, method_prefix: 'x.' };
    expect(await ask(open('jsonrpc-http', config))).toMatchObject({ asked: 'rpc.discover', well });
    expect(seen.map(({ body }) => (JSON.parse(body) as { method: string }).method)).toEqual(['rpc.discover']);
  });
});

describe('an MCP server that is pinged', () => {
  it.each<[string, Reply]>([
    ['lets nobody in', { status: 401, body: 'who are you?' }],
    ['is not there', { status: 404, body: 'not found' }],
    ['is a page', { body: '<h1>It works!</h1>', headers: { 'content-type': 'text/html' } }],
  ])('is not well where it %s', async (_, reply) => {
    const { url } = await service(() => reply);
    expect(await ask(open('mcp-http', { url }))).toMatchObject({ asked: 'ping', well: false });
  });
});

describe('an agent that is asked for its card', () => {
  const card = (url: string) => ({ name: 'a', protocolVersion: '0.3.0', url, skills: [], capabilities: {} });

  it.each(['a2a', 'auto'])('is asked each time, whatever is known of it: %s', async (type) => {
    let status = 200;
    const { url, seen } = await service(() => ({ status, json: card('http://127.0.0.1:9') }));
    const provider = open(type, { url });
    expect(await ask(provider)).toEqual({ asked: 'card', well: true, error: null });
    status = 503;
    expect(await ask(provider)).toMatchObject({ well: false, error: { data: { error_code: 'GLZ2002' } } });
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it.each([
    [404, true, null],
    [401, true, 'GLZ2010'],
    [500, false, 'GLZ2002'],
  ])('is judged by what it answers instead of one: HTTP %i', async (status, well, error_code) => {
    const { url } = await service(() => ({ status, body: 'x' }));
    const found = await ask(open('a2a', { url }));
    expect([found.well, found.error?.data.error_code ?? null]).toEqual([well, error_code]);
  });

  it('is asked for a page where it was said to have no card', async () => {
    const { url } = await service(() => ({ status: 404 }));
    expect(await ask(open('a2a', { url: `${url}/agent`, card: 'none' }))).toMatchObject({
      asked: 'GET /agent',
      well: true,
    });
  });
});

describe('a program that is looked for', () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'gleitzeit-probe-'));
    ends.push(async () => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  it('is found where a call would start it: beside its folder, by its own PATH, and only if it can be run', async () => {
    const path = folder();
    mkdirSync(join(path, 'bin'));
    const tool = join(path, 'bin', 'a-tool-of-ours');
    writeFileSync(tool, `#!/bin/sh\ntouch ${path}/ran\n`, { mode: 0o755 });
    const process = (config: object) => ask(open('process', config));
    expect(await process({ command: ['bin/a-tool-of-ours'], cwd: path })).toMatchObject({
      asked: 'is there bin/a-tool-of-ours?',
      well: true,
    });
    expect(await process({ command: ['bin/a-tool-of-ours'] })).toMatchObject({ well: false });
    expect(await process({ command: ['a-tool-of-ours'] })).toMatchObject({ well: false });
    const env = { PATH: join(path, 'bin') };
    expect(await process({ command: ['a-tool-of-ours'], env })).toMatchObject({ well: true });
    const other = { methods: { act: { command: ['no-such-tool'] } }, command: [tool] };
    expect(await process(other)).toMatchObject({
      well: false,
      error: { message: 'there is no program no-such-tool on this machine' },
    });
    chmodSync(tool, 0o644);
    expect(await process({ command: [tool] })).toMatchObject({ well: false });
  });

  it('is the interpreter for Python code, and the engine for containers', async () => {
    const python = { python: '/nowhere/python' };
    expect(await ask(open('python', python))).toMatchObject({
      asked: 'is there /nowhere/python?',
      well: false,
    });
    const container = { image: 'a:1', engine_path: '/nowhere/docker' };
    expect(await ask(open('container', container))).toMatchObject({
      asked: 'is there /nowhere/docker?',
      well: false,
    });
  });
});
