import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeAuthority } from '../../src/rpc/http/certificates.suite.ts';
import { type Asked, ask, JSON_HEADERS, requestText } from './ask.ts';
import { echoProtocol } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

type Role = 'viewer' | 'operator' | 'admin';
type Token = { readonly key: string; readonly entry: { readonly name: string; readonly hash: string } };

const authority = makeAuthority();
const tls = { ca: authority.cert };
const protocols = [{ ...echoProtocol, providers: [] }];
const task = { protocol: 'echo/v1', method: 'say', params: { text: 'hello' } };

let scene: Scene;
let server: Server;
let tokens: Record<Role, Token>;

beforeAll(async () => {
  scene = openScene();
  const [viewer, operator, admin] = await Promise.all([token('viewer'), token('operator'), token('admin')]);
  tokens = { viewer, operator, admin };
  const keys = [viewer, operator, admin].map(({ entry }) => entry);
  server = await scene.serve({
    server: { host: '0.0.0.0', port: 0, tls: identity('localhost'), keys },
    protocols,
    logging: { level: 'debug' },
  });
});
afterAll(() => scene.close());

async function token(role: Role): Promise<Token> {
  const program = scene.start(['token', 'create', '--role', role, '--name', `the-${role}`, '-o', 'json']);
  expect(await program.ended).toEqual({ code: 0, signal: null });
  return JSON.parse(program.output()) as Token;
}

function identity(name: string) {
  const { cert, key } = authority.issue(name);
  return { cert: scene.write(`${name}.crt`, cert), key: scene.write(`${name}.key`, key) };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function callAs(key: string | null, method: string, params: object = {}) {
  const headers = { ...JSON_HEADERS, ...(key === null ? {} : bearer(key)) };
  const answer = await ask(`${server.url}/rpc`, { body: requestText(method, params), headers, tls });
  return { status: answer.status, headers: answer.headers, ...JSON.parse(answer.text) };
}

describe('keys', () => {
  it('are needed for everything but health', async () => {
    for (const key of [null, 'glz_nobody_AAAA', tokens.admin.entry.hash, `${tokens.admin.key}x`]) {
      const refused = await callAs(key, 'system.info');
      expect(refused).toMatchObject({ status: 401, error: { data: { error_code: 'GLZ4001' } } });
      expect(refused.headers['www-authenticate']).toBe('Bearer');
    }
    const get = async (path: string) => (await ask(`${server.url}${path}`, { tls })).status;
    for (const path of ['/events', '/openrpc.json', '/metrics'])
      expect([path, await get(path)]).toEqual([path, 401]);
    expect([await get('/health'), await get('/ready')]).toEqual([200, 200]);
  });

  it('allow what their role allows', async () => {
    const { viewer, operator, admin } = tokens;
    expect(await callAs(viewer.key, 'system.info')).toMatchObject({
      result: { caller: { name: 'the-viewer', role: 'viewer' } },
    });
    expect(await callAs(viewer.key, 'task.list')).toMatchObject({ result: { items: [] } });
    const refused = await callAs(viewer.key, 'task.submit', task);
    expect(refused.error).toMatchObject({
      data: {
        error_code: 'GLZ4002',
        reason: 'task.submit takes the role operator, and the key "the-viewer" has viewer',
      },
    });
    expect(refused.result).toBeUndefined();
    const { result } = await callAs(operator.key, 'task.submit', task);
    expect(await callAs(viewer.key, 'task.status', { task_id: result.task_id })).toMatchObject({
      result: { protocol: 'echo/v1' },
    });
    const protocol = { name: 'other/v1', methods: { act: {} } };
    expect(await callAs(operator.key, 'protocol.register', { protocol })).toMatchObject({
      error: { data: { error_code: 'GLZ4002' } },
    });
    expect(await callAs(admin.key, 'protocol.register', { protocol })).toMatchObject({
      result: { name: 'other/v1' },
    });
    const metrics = await ask(`${server.url}/metrics`, { headers: bearer(viewer.key), tls });
    expect(metrics.status).toBe(200);
  });

  it('in a batch are asked for with each member', async () => {
    const body = `[${requestText('task.list')},${requestText('task.submit', task, 2)}]`;
    const headers = { ...JSON_HEADERS, ...bearer(tokens.viewer.key) };
    const { text } = await ask(`${server.url}/rpc`, { body, headers, tls });
    expect(JSON.parse(text)).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { data: { error_code: 'GLZ4002' } } },
    ]);
  });
});

describe('tickets', () => {
  const ticket = async (key: string): Promise<string> => (await callAs(key, 'auth.ticket')).result.ticket;
  const connect = (query: string, headers: Record<string, string> = {}) =>
    new WebSocket(`${server.url.replace('https:', 'wss:')}/rpc${query}`, { ...tls, headers });

  it('open a WebSocket once, with the role of their key', async () => {
    const given = await ticket(tokens.viewer.key);
    const socket = connect(`?ticket=${given}`);
    await once(socket, 'open');
    const say = async (method: string, params: object) => {
      socket.send(requestText(method, params));
      const [data] = await once(socket, 'message');
      return JSON.parse(String(data));
    };
    expect(await say('system.info', {})).toMatchObject({ result: { caller: { name: 'the-viewer' } } });
    expect(await say('task.submit', task)).toMatchObject({ error: { data: { error_code: 'GLZ4002' } } });
    socket.close();
    await once(socket, 'close');
    await expect(refusal(connect(`?ticket=${given}`))).resolves.toBe(401);
    await expect(refusal(connect(''))).resolves.toBe(401);
    await expect(refusal(connect(`?ticket=${tokens.viewer.key}`))).resolves.toBe(401);
  });

  it('open a stream of events once', async () => {
    const given = await ticket(tokens.viewer.key);
    const open = (query: string) => ask(`${server.url}/events${query}`, { tls, until: /: here/ });
    expect((await open(`?ticket=${given}&cursor=0`)).headers['content-type']).toContain('text/event-stream');
    expect([(await open(`?ticket=${given}`)).status, (await open('')).status]).toEqual([401, 401]);
  });

  it('are no keys: calls by POST do not take them', async () => {
    const given = await ticket(tokens.admin.key);
    const url = `${server.url}/rpc?ticket=${given}`;
    const answer = await ask(url, { body: requestText('system.info'), headers: JSON_HEADERS, tls });
    expect(answer.status).toBe(401);
  });
});

describe('TLS', () => {
  it('is all that is spoken', async () => {
    const bare = await ask(server.url.replace('https:', 'http:')).catch((error: Error) => error);
    expect(bare instanceof Error || (bare as Asked).status !== 200).toBe(true);
    const foreign = makeAuthority('somebody else');
    await expect(ask(`${server.url}/health`, { tls: { ca: foreign.cert } })).rejects.toThrow();
  });

  it('asks for a certificate where client_ca is configured', async () => {
    const client_ca = scene.write('clients.crt', authority.cert);
    const strict = await scene.serve(
      {
        server: { port: 0, tls: { ...identity('strict'), client_ca } },
        store: { path: 'strict.db' },
        protocols,
      },
      { file: 'strict.yaml' },
    );
    const health = `${strict.url}/health`;
    await expect(ask(health, { tls })).rejects.toThrow();
    const stranger = makeAuthority('somebody else').issue('client');
    await expect(ask(health, { tls: { ...tls, ...stranger } })).rejects.toThrow();
    const known = authority.issue('client');
    expect((await ask(health, { tls: { ...tls, ...known } })).status).toBe(200);
  });
});

describe('beyond loopback', () => {
  it.each(['0.0.0.0', '::'])('%s is refused without keys', async (host) => {
    const file = scene.write('open.yaml', { server: { host, port: 0 }, store: { path: 'open.db' } });
    const program = scene.start(['serve', '--config', file]);
    expect(await program.ended).toEqual({ code: 7, signal: null });
    expect(program.output()).toMatch(/open\.yaml:3:\d+ +error +GLZ1012 +server\.host: .*there are no keys/);
    expect(program.output()).toContain('gleitzeit token create');
  });
});

describe('what was sent to prove who one is', () => {
  it('is nowhere in the log', () => {
    const { viewer, operator, admin } = tokens;
    for (const { key, entry } of [viewer, operator, admin]) {
      expect(server.output()).not.toContain(key.slice(-20));
      expect(server.output()).not.toContain(entry.hash);
    }
    expect(server.output()).not.toContain('glzt_');
    expect(server.log.length).toBeGreaterThan(10);
  });
});

async function refusal(socket: WebSocket): Promise<number | undefined> {
  socket.on('error', () => {});
  const [request, response] = await once(socket, 'unexpected-response');
  request.destroy();
  return response.statusCode;
}
