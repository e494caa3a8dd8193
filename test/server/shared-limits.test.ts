import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../services/fresh-database.ts';
import { startAgent } from './agent.ts';
import { call } from './call.ts';
import { echoProtocol, settledTask, submitEcho } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

let scene: Scene;
let database: FreshDatabase;
let agent: Awaited<ReturnType<typeof startAgent>>;
let running = 0;
let most = 0;
let callsMade = 0;
let called = () => {};
const texts: unknown[] = [];

beforeEach(async () => {
  [running, most, callsMade] = [0, 0, 0];
  called = () => {};
  texts.splice(0);
  scene = openScene();
  database = await freshDatabase(inject('postgresUrl'));
  agent = await startAgent(async ({ params }) => {
    most = Math.max(most, ++running);
    callsMade++;
    texts.push(params['text']);
    called();
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    return { result: 1 };
  });
});
afterEach(async () => {
  await scene.close();
  await agent.close();
  await database.drop();
});

const store = () => ({ type: 'postgres', url: database.url });

function configOf(provider: object, protocol: object = {}, more: object = {}): object {
  const only = { id: 'only', type: 'jsonrpc-http', config: { url: agent.url }, ...provider };
  return {
    server: { port: 0 },
    store: store(),
    protocols: [{ ...echoProtocol, ...protocol, providers: [only] }],
    ...more,
  };
}

const two = (config: object): Promise<[Server, Server]> =>
  Promise.all([scene.serve(config, { file: 'one.yaml' }), scene.serve(config, { file: 'two.yaml' })]);

const submitAll = (servers: readonly Server[], count: number, text: (index: number) => string) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      submitEcho(servers[index % servers.length]?.url ?? '', text(index)),
    ),
  );

describe('two servers on one Postgres', () => {
  it('share the places of a provider and those of each key', async () => {
    const per_key = { key: 'params.text', concurrency: 1 };
    const servers = await two(configOf({ limits: { concurrency: 3 } }, { limits: { per_key } }));
    const ids = await submitAll(servers, 60, (index) => `user ${index % 7}`);
    for (const id of ids)
      expect(await settledTask(servers[0].url, id)).toMatchObject({ status: 'completed' });
    expect([most, callsMade]).toEqual([3, 60]);
  });

  it('use what one of them had when it is killed', async () => {
    const config = configOf({ limits: { concurrency: 2 } }, {}, { engine: { lease_ttl: 2 } });
    const servers = await two(config);
    await submitAll(servers, 60, String);
    servers[0].signal('SIGKILL');
    await servers[0].ended;
    const last = await submitEcho(servers[1].url, 'last');
    expect(await settledTask(servers[1].url, last)).toMatchObject({ status: 'completed' });
    expect(most).toBeLessThanOrEqual(2);
  });

  it('hold to it when a provider is drained at one of them, also after a restart, until it is resumed', async () => {
    const config = configOf({});
    const servers = await two(config);
    const stateAt = async ({ url }: Server) =>
      (await call<{ state: string }>(url, 'provider.status', { id: 'only' })).state;
    const becomes = async (server: Server, state: string) => {
      while ((await stateAt(server)) !== state) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    expect(await call(servers[0].url, 'provider.drain', { id: 'only' })).toMatchObject({ state: 'drained' });
    await becomes(servers[1], 'drained');
    servers[0].signal('SIGTERM');
    await servers[0].ended;
    const again = await scene.serve(config, { file: 'one.yaml' });
    expect(await stateAt(again)).toBe('drained');
    const task_id = await submitEcho(again.url, 'waits');
    await call(servers[1].url, 'provider.resume', { id: 'only' });
    await becomes(again, 'connected');
    expect(await settledTask(again.url, task_id)).toMatchObject({ status: 'completed' });
  });
});

describe('a rate of keys that comes back slowly', () => {
  it.each([
    ['SQLite', () => ({ type: 'sqlite', path: 'store.db' })],
    ['Postgres', store],
  ])('allows no call more because the server was killed with %s', async (_, at) => {
    const per_key = { key: 'params.text', rate: '1/h' };
    const more = { store: at(), engine: { lease_ttl: 1 } };
    const config = configOf({}, { limits: { per_key } }, more);
    for (let life = 0; life < 3; life++) {
      const server = await scene.serve(config);
      called = () => void (life === 0 && server.signal('SIGKILL'));
      await submitEcho(server.url, 'me').catch(() => {});
      if (life > 0) {
        const other = await submitEcho(server.url, `other ${life}`);
        expect(await settledTask(server.url, other)).toMatchObject({ status: 'completed' });
        server.signal('SIGKILL');
      }
      await server.ended;
    }
    expect(texts).toEqual(['me', 'other 1', 'other 2']);
  });
});

describe('a provider that is drained', () => {
  it('is forgotten when it is taken out of the configuration', async () => {
    const local = { store: { type: 'sqlite', path: 'store.db' } };
    const server = await scene.serve(configOf({}, {}, local));
    await call(server.url, 'provider.drain', { id: 'only' });
    server.signal('SIGKILL');
    await server.ended;
    const without = await scene.serve(configOf({ id: 'another' }, {}, local));
    without.signal('SIGTERM');
    await without.ended;
    const again = await scene.serve(configOf({}, {}, local));
    expect(await call(again.url, 'provider.status', { id: 'only' })).toMatchObject({ state: 'connected' });
    await call(again.url, 'provider.drain', { id: 'only' });
    for (const id of ['another', 'only']) {
      const after = again.log.length;
      scene.write('gleitzeit.yaml', configOf({ id }, {}, local));
      await again.logged({ message: 'the configuration was changed' }, after);
    }
    while (
      (await call<{ state: string }>(again.url, 'provider.status', { id: 'only' })).state !== 'connected'
    )
      await new Promise((resolve) => setTimeout(resolve, 20));
  });
});

describe('what is kept for the limits of a provider', () => {
  it('is forgotten when it was taken out of the configuration', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const sheets = async () => {
      const { rows } = await client.query(
        "select key from gleitzeit.document where collection = 'quotas' order by key",
      );
      return rows.map(({ key }) => key);
    };
    const isThere = async (name: string) => {
      while (!(await sheets()).includes(name)) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    try {
      const before = await scene.serve(configOf({}));
      await isThere('provider only');
      before.signal('SIGTERM');
      await before.ended;
      await scene.serve(configOf({ id: 'another' }));
      await isThere('provider another');
      while ((await sheets()).includes('provider only'))
        await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      await client.end();
    }
  });
});
