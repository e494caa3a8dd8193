import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../services/fresh-database.ts';
import { type Agent, type AgentAnswer, type AgentCall, startAgent } from './agent.ts';
import { call } from './call.ts';
import { echoProtocol, settledTask } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

let scene: Scene;
let agent: Agent;
let calls: AgentCall[];
let answer: (made: AgentCall) => Promise<AgentAnswer>;

beforeEach(async () => {
  scene = openScene();
  calls = [];
  answer = async ({ params }) => ({ result: { text: params['text'] } });
  agent = await startAgent((made) => {
    calls.push(made);
    return answer(made);
  });
});
afterEach(async () => {
  await scene.close();
  await agent.close();
});

const key = { GLEITZEIT_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') };
const plain = () => ({ name: 'Echo', url: agent.url, protocol: 'jsonrpc' });

async function send(server: Server, name: string, text: string) {
  const task = { agent: name, input: { text }, retry_config: { max_attempts: 1 } };
  const { task_id } = await call<{ task_id: string }>(server.url, 'task.submit', task);
  return settledTask(server.url, task_id);
}

describe('agents on one server', () => {
  it('are called by name as soon as they are registered, from wherever they are now, until they are gone', async () => {
    const server = await scene.serve({ server: { port: 0 } });
    await expect(send(server, 'Echo', 'a')).rejects.toThrow(/no agent|Echo/);
    await call(server.url, 'agent.create', plain());
    expect(await send(server, 'Echo', 'a')).toMatchObject({ status: 'completed', result: { text: 'a' } });
    const other = await startAgent(async () => ({ result: { text: 'from elsewhere' } }));
    await call(server.url, 'agent.update', { name: 'Echo', url: other.url });
    expect(await send(server, 'Echo', 'b')).toMatchObject({ result: { text: 'from elsewhere' } });
    await other.close();
    await call(server.url, 'agent.delete', { name: 'Echo' });
    expect(await call(server.url, 'agent.list', {})).toEqual({ items: [], next_cursor: null });
    expect(await call(server.url, 'provider.list', {})).toEqual({ items: [], next_cursor: null });
  });

  it('take calls of the protocols that they implement', async () => {
    const server = await scene.serve({ server: { port: 0 }, protocols: [echoProtocol] });
    await call(server.url, 'agent.create', { ...plain(), implements: ['echo/v1'] });
    const task = { protocol: 'echo/v1', method: 'say', params: { text: 'through the pool' } };
    const { task_id } = await call<{ task_id: string }>(server.url, 'task.submit', task);
    expect(await settledTask(server.url, task_id)).toMatchObject({ result: { text: 'through the pool' } });
    expect(calls.map(({ method }) => method)).toEqual(['say']);
    expect(await call(server.url, 'task.status', { task_id })).toMatchObject({
      attempts: [{ provider: 'agent:Echo@echo/v1' }],
    });
  });

  it('stand in the file, win over what is registered, and change with it', async () => {
    const file = (text: string) => ({ server: { port: 0 }, agents: [{ ...plain(), description: text }] });
    const server = await scene.serve(file('first'));
    expect(await call(server.url, 'agent.get', { name: 'Echo' })).toMatchObject({
      source: 'file',
      version: 0,
      description: 'first',
      timeout: 30_000,
    });
    expect(await send(server, 'Echo', 'a')).toMatchObject({ result: { text: 'a' } });
    for (const [method, params] of [
      ['agent.create', plain()],
      ['agent.update', { name: 'Echo', timeout: 5 }],
      ['agent.delete', { name: 'Echo' }],
    ] as const)
      await expect(call(server.url, method, params)).rejects.toThrow(/GLZ1011/);
    scene.write('gleitzeit.yaml', file('second'));
    await server.logged({ message: 'the configuration was changed' });
    expect(await call(server.url, 'agent.get', { name: 'Echo' })).toMatchObject({ description: 'second' });
  });

  it('are still there after a restart, and wrong ones are refused with everything that is wrong', async () => {
    const server = await scene.serve({ server: { port: 0 } });
    const { id } = await call<{ id: string }>(server.url, 'agent.create', plain());
    const wrong = call(server.url, 'agent.create', { name: 'B', url: 'nowhere', protocol: 'jsonrpc-3' });
    await expect(wrong).rejects.toThrow(/is no address/);
    const odd = call(server.url, 'agent.create', { ...plain(), name: 'B', protocol: 'jsonrpc-2.1' });
    await expect(odd).rejects.toThrow(/jsonrpc-2\.0/);
    const config = { ...plain(), name: 'B', protocol: 'jsonrpc-2.0', protocol_config: { methd: 'x' } };
    await expect(call(server.url, 'agent.create', config)).rejects.toThrow(/protocol_config\/methd/);
    server.signal('SIGTERM');
    await server.ended;
    const again = await scene.serve({ server: { port: 0 } });
    expect(await call(again.url, 'agent.get', { name: 'Echo' })).toMatchObject({ id, source: 'api' });
    expect(await send(again, 'Echo', 'b')).toMatchObject({ result: { text: 'b' } });
  });
});

describe('agents on two servers and one Postgres', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase(inject('postgresUrl'));
  });
  afterEach(() => database.drop());

  it('are seen and called by the other one without a restart, and can change there', async () => {
    const config = { server: { port: 0 }, store: { type: 'postgres', url: database.url } };
    const [one, two] = await Promise.all([
      scene.serve(config, { file: 'one.yaml', env: key }),
      scene.serve(config, { file: 'two.yaml', env: key }),
    ]);
    await call(one.url, 'agent.create', {
      ...plain(),
      auth_config: { type: 'bearer', token: 'shared-token' },
    });
    await call(one.url, 'agent.create', { ...plain(), name: 'Second' });
    const { items } = await call<{ items: { name: string }[] }>(two.url, 'agent.list', {});
    expect(items.map(({ name }) => name)).toEqual(['Echo', 'Second']);
    one.signal('SIGKILL');
    await one.ended;
    expect(await send(two, 'Echo', 'a')).toMatchObject({ status: 'completed', result: { text: 'a' } });
    expect(calls.at(-1)?.headers.authorization).toBe('Bearer shared-token');
    expect(await send(two, 'Second', 'b')).toMatchObject({ result: { text: 'b' } });
  });
});
