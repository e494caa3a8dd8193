import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { MASK, redact } from '../../src/core/secrets.ts';
import { type FreshDatabase, freshDatabase } from '../services/fresh-database.ts';
import { ask } from './ask.ts';
import { call } from './call.ts';
import { settledTask } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

let scene: Scene;

beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

const key = { GLEITZEIT_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') };

async function send(server: Server, name: string, text: string) {
  const task = { agent: name, input: { text }, retry_config: { max_attempts: 1 } };
  const { task_id } = await call<{ task_id: string }>(server.url, 'task.submit', task);
  return settledTask(server.url, task_id);
}

const secrets = {
  token: 'bearer-token:5f1c/7a+',
  password: 'pass word & 91be03',
  key: 'api-key-0e77d1==',
  header: 'header value 44ab10',
  client: 'client-secret-2b77aa',
  access: 'q83vEjRWeJ/avN7wQ0',
  file: 'c2VjcmV0/ZmlsZQ',
};

describe.each(['sqlite', 'postgres'] as const)('secrets of agents on %s', (type) => {
  let database: FreshDatabase | null = null;
  beforeEach(async () => {
    database = type === 'postgres' ? await freshDatabase(inject('postgresUrl')) : null;
  });
  afterEach(() => database?.drop());

  it('reach the agent, and are to be seen nowhere else in any form', async () => {
    const careless = await startCareless();
    const url = (path: string) => `${careless.url}/${path}`;
    const store = database === null ? {} : { store: { type: 'postgres', url: database.url } };
    const server = await scene.serve(
      { server: { port: 0 }, logging: { level: 'debug' }, ...written(url), ...store },
      { env: { ...key, FILE_TOKEN: secrets.file } },
    );
    const seen = new Map<string, string>();
    const look = async (what: string, made: Promise<unknown>) =>
      seen.set(what, String(await made.then(JSON.stringify, String)));
    for (const [name, entry] of Object.entries(entries(url))) {
      await look(`create ${name}`, call(server.url, 'agent.create', { name, ...entry }));
      await look(`again ${name}`, call(server.url, 'agent.create', { name, ...entry }));
      const broken = { name, ...entry, timeout: 'never', auth_config: { ...entry.auth_config, odd: 1 } };
      await look(`broken ${name}`, call(server.url, 'agent.update', broken));
      await look(`get ${name}`, call(server.url, 'agent.get', { name }));
      await look(`ping ${name}`, call(server.url, 'agent.ping', { name }));
      await look(`call ${name}`, send(server, name, 'hello'));
      await look(`provider ${name}`, call(server.url, 'provider.status', { id: `agent:${name}` }));
    }
    await look('get Written', call(server.url, 'agent.get', { name: 'Written' }));
    await look('call Written', send(server, 'Written', 'hello'));
    for (const method of ['agent.list', 'task.list', 'provider.list', 'event.list'])
      await look(method, call(server.url, method, {}));
    for (const path of ['/metrics', '/openrpc.json']) seen.set(path, (await ask(server.url + path)).text);
    server.signal('SIGTERM');
    await server.ended;
    seen.set('log', server.output());
    seen.set('database', await dump(database));
    expect(seen.get('database')).toContain('agent:Bearer');
    expect(seen.get('get Bearer')).toContain('***');
    for (const one of Object.values(secrets)) expect(whereSeen(seen, one)).toEqual([]);
    const told = careless.headers;
    await careless.close();
    expect(seen.get('call Simple')).toContain('no entry for');
    expect(seen.get('call A2A')).toContain('no entry for');
    const chatty = ['Chatty', 'ChattyA2A', 'ChattyToken', 'ChattyTokenA2A', 'Written'];
    for (const name of chatty) expect(seen.get(`call ${name}`)).toContain('completed');
    expect(told.map(({ authorization }) => authorization)).toContain(`Bearer ${secrets.token}`);
    for (const token of [secrets.access, secrets.file])
      expect(told.map(({ authorization }) => authorization)).toContain(`Bearer ${token}`);
    expect(told.map((headers) => headers['x-key'])).toContain(secrets.key);
    expect(told.map((headers) => headers['x-more'])).toContain(secrets.header);
  });

  /** In the configuration. */
  function written(at: (path: string) => string): object {
    const auth_config = { type: 'bearer', token: '${secrets.written}' };
    return {
      secrets: { written: { env: 'FILE_TOKEN' } },
      agents: [{ name: 'Written', url: at('chatty'), auth_config }],
    };
  }

  type Entry = { url: string; protocol: string; auth_config: object; protocol_config?: object };

  function entries(at: (path: string) => string): Record<string, Entry> {
    const headers = { 'x-more': secrets.header };
    const bearer = { type: 'bearer', token: secrets.token };
    const rpc = { url: at('rpc'), protocol: 'jsonrpc' };
    const client = { token_url: at('token'), client_id: 'me', client_secret: secrets.client };
    const granted = { type: 'oauth2', ...client, token_url: at('granted') };
    return {
      Bearer: { ...rpc, auth_config: bearer, protocol_config: { headers } },
      Basic: { ...rpc, auth_config: { type: 'basic', username: 'me', password: secrets.password } },
      Key: { ...rpc, auth_config: { type: 'api_key', header: 'x-key', value: secrets.key } },
      Query: { ...rpc, auth_config: { type: 'api_key', query: 'k', value: secrets.key } },
      OAuth2: { ...rpc, auth_config: { type: 'oauth2', ...client } },
      Simple: { url: at('simple'), protocol: 'simple-a2a', auth_config: bearer },
      A2A: { url: at('rpc'), protocol: 'jsonrpc-2.0', auth_config: bearer },
      Auto: { url: at('simple'), protocol: 'auto', auth_config: bearer, protocol_config: { headers } },
      Chatty: {
        url: at('chatty'),
        protocol: 'simple-a2a',
        auth_config: bearer,
        protocol_config: { headers },
      },
      ChattyA2A: { url: at('chatty-rpc'), protocol: 'jsonrpc-2.0', auth_config: bearer },
      ChattyToken: { url: at('chatty'), protocol: 'simple-a2a', auth_config: granted },
      ChattyTokenA2A: { url: at('chatty-rpc'), protocol: 'jsonrpc-2.0', auth_config: granted },
    };
  }

  async function dump(postgres: FreshDatabase | null): Promise<string> {
    if (postgres === null) {
      const folder = join(scene.folder, '.gleitzeit');
      return readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'latin1'))
        .join('\n');
    }
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const tables = await client.query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'gleitzeit'`,
    );
    const rows: unknown[] = [];
    for (const { name } of tables.rows)
      rows.push(name, (await client.query(`SELECT t::text FROM ${name} t`)).rows);
    await client.end();
    return JSON.stringify(rows);
  }
});

function chattyTask(text: string) {
  const artifacts = [{ artifactId: 'a', parts: [{ kind: 'text', text }] }];
  return { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' }, artifacts };
}

/** Repeats whatever it was told, as careless services do. */
async function startCareless() {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    headers.push(request.headers);
    const said = { body, headers: request.headers, path: request.url };
    const message = `no entry for ${JSON.stringify(said)}`;
    const id = /"(?:task_)?id":"([^"]*)"/.exec(body)?.[1] ?? null;
    const error = { code: -32099, message, data: said };
    const answers: Record<string, object> = {
      '/simple': { task_id: id, status: 'error', output: said, error: message },
      '/chatty': { task_id: id, status: 'success', output: { text: 'done', said } },
      '/chatty-rpc': { jsonrpc: '2.0', id, result: chattyTask(JSON.stringify(said)) },
      '/token': { error: 'invalid_client', error_description: message },
      '/granted': { access_token: secrets.access, token_type: 'Bearer', expires_in: 3600 },
    };
    response.statusCode = request.method === 'GET' ? 404 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[request.url ?? ''] ?? { jsonrpc: '2.0', id, error }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers, close };
}

function whereSeen(seen: ReadonlyMap<string, string>, secret: string): string[] {
  return [...seen].flatMap(([what, text]) => {
    const shown = redact(text, [secret]);
    if (shown === text) return [];
    const at = shown.indexOf(MASK);
    return [`${what}: ${shown.slice(Math.max(0, at - 100), at + 20)}`];
  });
}
