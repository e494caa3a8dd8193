import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Agent, startAgent } from '../server/agent.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';

let scene: Scene;
let agent: Agent;
let server: Server;

const waiting = Promise.withResolvers<void>();
const keys = { operator: 'an-operator-key', viewer: 'a-viewer-key' };
const hashed = (key: string) => createHash('sha256').update(key).digest('hex');

beforeAll(async () => {
  scene = openScene();
  agent = await startAgent(async ({ params }) => {
    if (params['text'] === 'wait') await waiting.promise;
    return { result: `you said: ${params['text']}` };
  });
  const provider = { type: 'jsonrpc-http', config: { url: agent.url } };
  server = await scene.serve({
    server: {
      port: 0,
      keys: Object.entries(keys).map(([role, key]) => ({ name: role, role, hash: hashed(key) })),
    },
    protocols: [{ name: 'chat/v1', methods: { answer: {} }, providers: [provider] }],
    zone: { execute: { protocol: 'chat/v1', method: 'answer' }, agentcore: 'open' },
  });
});
afterAll(async () => {
  await scene.close();
  await agent.close();
});

function request(text: string, id: string = randomUUID()): string {
  const params = { channel: 'C1', text, bot_token: 'xoxb-1' };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'execute_task', params });
}

async function post(path: string, body: string, key?: string) {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
  return { status: answer.status, said: (await answer.json()) as Record<string, unknown> };
}

const success = (text: string) => ({ result: { status: 'success', response_text: `you said: ${text}` } });

describe('carriers side by side', () => {
  it('serve the same zone: by POST, over a WebSocket, and as a container of AgentCore', async () => {
    const id = randomUUID();
    expect((await post('/zone', request('one', id), keys.operator)).said).toMatchObject({
      id,
      ...success('one'),
    });
    expect((await post('/invocations', request('two'))).said).toMatchObject(success('two'));
    const headers = { authorization: `Bearer ${keys.operator}` };
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/zone`, { headers });
    const said = await new Promise<string>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (message) => resolve(String(message)));
      socket.on('open', () => socket.send(request('three')));
    });
    socket.terminate();
    expect(JSON.parse(said)).toMatchObject(success('three'));
    // Sent again by another way, it is still the same task.
    expect((await post('/invocations', request('one', id))).said).toMatchObject({ id, ...success('one') });
  });

  it('warn where containers of AgentCore would not share what they accepted', async () => {
    const warning = { level: 'warn', message: 'the zone has a store that no other container reaches' };
    expect(await server.logged(warning)).toMatchObject({ field: 'store.type' });
  });

  it('tell the runtime that the container lives', async () => {
    const ping = async () => (await fetch(`${server.url}/ping`)).json();
    expect(await ping()).toEqual({ status: 'Healthy', time_of_last_update: expect.any(Number) });
    const begun = request('wait').replace('"channel"', '"budget_ms":0,"channel"');
    expect((await post('/invocations', begun)).said).toMatchObject({ result: { status: 'accepted' } });
    expect(await ping()).toMatchObject({ status: 'HealthyBusy' });
    waiting.resolve();
    await expect.poll(ping).toMatchObject({ status: 'Healthy' });
  });

  it('let nobody in who may not, and say so in a response', async () => {
    const id = randomUUID();
    expect(await post('/zone', request('no', id), keys.viewer)).toMatchObject({
      status: 200,
      said: { jsonrpc: '2.0', id, error: { code: -32008 } },
    });
    expect(await post('/zone', request('no'))).toMatchObject({
      status: 401,
      said: { jsonrpc: '2.0', error: {} },
    });
    expect(
      (
        await fetch(`${server.url}/zone`, {
          method: 'POST',
          body: 'x',
          headers: { authorization: `Bearer ${keys.operator}` },
        })
      ).status,
    ).toBe(415);
  });
});
