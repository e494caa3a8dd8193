import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from './call.ts';
import { echoProtocols, settledTask, submitEcho } from './echo.ts';
import { type HeldAgent, heldAgent } from './held-agent.ts';
import { openScene, type Scene, type Server } from './scene.ts';

const CHANGED = 'the configuration was changed';
const REFUSED = 'the changed configuration is not taken; the one before stays in force';
const UNCHANGED = 'the configuration was read again; nothing that can change while it runs has changed';

let scene: Scene;
let agent: HeldAgent;

beforeEach(async () => {
  scene = openScene();
  agent = await heldAgent();
});
afterEach(async () => {
  await scene.close();
  await agent.close();
});

function configOf(paths: Readonly<Record<string, string>>, more: object = {}) {
  const providers = Object.entries(paths).map(([id, path]) => [id, { url: `${agent.url}${path}` }]);
  return { server: { port: 0 }, protocols: echoProtocols(Object.fromEntries(providers)), ...more };
}

async function rewrite(server: Server, content: string | object, message: string) {
  const after = server.log.length;
  scene.write('gleitzeit.yaml', content);
  return server.logged({ message }, after);
}

async function providerNames({ url }: Server): Promise<Record<string, unknown>[]> {
  return (await call<{ items: Record<string, unknown>[] }>(url, 'provider.list', {})).items;
}

describe('a changed configuration file', () => {
  it('moves new work to new providers, and what runs is finished where it is', async () => {
    const server = await scene.serve(configOf({ first: '/first' }));
    const early = await submitEcho(server.url, 'early');
    const atFirst = await agent.next();
    expect(atFirst.path).toBe('/first');

    expect(await rewrite(server, configOf({ second: '/second' }), CHANGED)).toMatchObject({
      providers: { added: 1, removed: 1, changed: 0, kept: 0 },
    });
    const late = await submitEcho(server.url, 'late');
    const atSecond = await agent.next();
    expect(atSecond.path).toBe('/second');
    atSecond.reply({ result: 'from the second' });
    expect(await settledTask(server.url, late)).toMatchObject({ result: 'from the second' });

    expect(await providerNames(server)).toMatchObject([{ id: 'second' }, { id: 'first' }]);
    atFirst.reply({ result: 'from the first' });
    expect(await settledTask(server.url, early)).toMatchObject({
      status: 'completed',
      result: 'from the first',
    });
    const { attempts } = await call<{ attempts: unknown[] }>(server.url, 'task.status', { task_id: early });
    expect(attempts).toMatchObject([{ provider: 'first', error: null }]);
    expect(agent.untaken).toBe(0);
  });

  it('moves a provider to another address under its name', async () => {
    const server = await scene.serve(configOf({ only: '/before' }));
    const early = await submitEcho(server.url, 'early');
    const before = await agent.next();
    await rewrite(server, configOf({ only: '/after' }), CHANGED);
    const late = await submitEcho(server.url, 'late');
    const after = await agent.next();
    expect([before.path, after.path]).toEqual(['/before', '/after']);
    after.reply({ result: 2 });
    before.reply({ result: 1 });
    expect([await settledTask(server.url, early), await settledTask(server.url, late)]).toMatchObject([
      { result: 1 },
      { result: 2 },
    ]);
  });

  it('brings protocols, and work that waited for them is done', async () => {
    const server = await scene.serve(configOf({}));
    const task_id = await submitEcho(server.url, 'to nobody');
    await rewrite(server, configOf({ late: '/late' }), CHANGED);
    (await agent.next()).reply({ result: 'done' });
    expect(await settledTask(server.url, task_id)).toMatchObject({ result: 'done' });

    const { protocols } = configOf({ late: '/late' });
    const more = { name: 'more/v1', methods: { add: {} }, providers: [] };
    await rewrite(server, { ...configOf({}), protocols: [...protocols, more] }, CHANGED);
    expect(await call(server.url, 'protocol.get', { name: 'more/v1' })).toMatchObject({ name: 'more/v1' });
  });

  it('that is broken is not taken, and the log says what is wrong where', async () => {
    const server = await scene.serve(configOf({ first: '/first' }));
    const broken = `protocols:\n  - name: echo/v1\n    provider:\n      - type: jsonrpc-http\n`;
    const { problems } = await rewrite(server, broken, REFUSED);
    expect(problems).toEqual([expect.stringMatching(/gleitzeit\.yaml:3:5 .*provider/)]);
    const task_id = await submitEcho(server.url, 'still');
    const held = await agent.next();
    expect(held.path).toBe('/first');
    held.reply({ result: 'there' });
    expect(await settledTask(server.url, task_id)).toMatchObject({ result: 'there' });
    await rewrite(server, configOf({ second: '/second' }), CHANGED);
    expect(await providerNames(server)).toMatchObject([{ id: 'second' }]);
  });

  it('says what takes a restart, and takes the rest', async () => {
    const server = await scene.serve(configOf({ first: '/first' }));
    const next = configOf({ first: '/first', second: '/second' }, { engine: { concurrency: 7 } });
    const { settings } = await rewrite(server, next, 'some changes of the configuration need a restart');
    expect(settings).toEqual(['engine.concurrency']);
    await server.logged({ message: CHANGED });
    expect(await providerNames(server)).toMatchObject([{ id: 'first' }, { id: 'second' }]);
  });
});

describe('SIGHUP', () => {
  it('reads again at once, a secret in a file of its own included', async () => {
    const file = scene.write('token', 'the-first-token\n');
    const provider = { url: agent.url, headers: { authorization: 'Bearer ${secrets.token}' } };
    const server = await scene.serve({
      server: { port: 0 },
      secrets: { token: { file } },
      protocols: echoProtocols({ only: provider }),
    });
    const ask = async () => {
      const task_id = await submitEcho(server.url, 'hello');
      const held = await agent.next();
      held.reply({ result: null });
      await settledTask(server.url, task_id);
      return held.headers.authorization;
    };
    expect(await ask()).toBe('Bearer the-first-token');
    scene.write('token', 'the-second-token\n');
    server.signal('SIGHUP');
    expect(await server.logged({ message: CHANGED })).toMatchObject({
      secret_changes: 1,
      providers: { kept: 1 },
    });
    expect(await ask()).toBe('Bearer the-second-token');
    const careless = await submitEcho(server.url, 'hello');
    const { headers, reply } = await agent.next();
    reply({ error: { code: -32602, message: `no entry for ${headers.authorization}` } });
    const settled = await settledTask(server.url, careless);
    expect(settled).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('no entry') },
    });
    expect(`${JSON.stringify(settled)}${server.output()}`).not.toContain('the-second-token');
  });

  it('says so where nothing changed, and keeps everything where the file is gone', async () => {
    const server = await scene.serve(configOf({ first: '/first' }));
    server.signal('SIGHUP');
    await server.logged({ message: UNCHANGED });
    scene.remove('gleitzeit.yaml');
    server.signal('SIGHUP');
    expect(await server.logged({ message: REFUSED })).toMatchObject({ level: 'error' });
    expect(await providerNames(server)).toMatchObject([{ id: 'first' }]);
  });

  it('is taken whole or not at all: what cannot be opened leaves protocols as they were', async () => {
    const server = await scene.serve(configOf({ first: '/first' }));
    const config = configOf({ first: '/first' });
    const [protocol] = config.protocols as [{ name: string; methods: object; providers: object[] }];
    const broken = {
      type: 'jsonrpc-http',
      id: 'broken',
      config: { url: agent.url, tls: { ca: '/nowhere/ca.pem' } },
    };
    const changed = { ...protocol, methods: { other: {} }, providers: [...protocol.providers, broken] };
    await rewrite(server, { ...config, protocols: [changed] }, REFUSED);
    const listed = await call<{ methods: object }>(server.url, 'protocol.get', { name: protocol.name });
    expect(Object.keys(listed.methods)).toEqual(Object.keys(protocol.methods));
  });

  it('takes a protocol away with its last provider', async () => {
    const server = await scene.serve(configOf({ first: '/first' }));
    const { items: before } = await call<{ items: { name: string }[] }>(server.url, 'protocol.list', {});
    expect(before).toHaveLength(1);
    await rewrite(server, { server: { port: 0 }, protocols: [] }, CHANGED);
    const after = await call<{ items: unknown[] }>(server.url, 'protocol.list', {});
    expect(after.items).toEqual([]);
  });
});
