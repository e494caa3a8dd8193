import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/sdk/index.ts';
import { openScene, type Scene, type Server } from './scene.ts';

type Push = { readonly url: string; readonly token: string };

let scene: Scene;
let server: Server;
let port = 0;
let url = '';
let baked = false;
let push: Push | null = null;

const card = {
  ...{ name: 'Baker', description: 'Bakes', version: '1', protocolVersion: '0.3.0', skills: [] },
  capabilities: { pushNotifications: true },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
};

/** Takes an order, and calls whoever left an address when it is done. */
const baker = createHttpServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  response.setHeader('content-type', 'application/json');
  if (request.method !== 'POST') {
    response.statusCode = request.url === '/.well-known/agent-card.json' ? 200 : 404;
    return response.end(JSON.stringify({ ...card, url }));
  }
  const { id, params } = JSON.parse(body);
  push = params.configuration?.pushNotificationConfig ?? push;
  return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: order() }));
});

function order(): object {
  const artifacts = [{ artifactId: 'a', parts: [{ kind: 'text', text: 'bread' }] }];
  const status = { state: baked ? 'completed' : 'working' };
  return { kind: 'task', id: 'order-1', contextId: 'c', status, ...(baked ? { artifacts } : {}) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return free;
}

const serve = () =>
  scene.serve({
    server: { port, public_url: `http://127.0.0.1:${port}/` },
    store: { type: 'sqlite', path: 'store.db' },
    agents: [{ name: 'Baker', url, protocol: 'jsonrpc-2.0', protocol_config: { push: true } }],
  });

beforeAll(async () => {
  scene = openScene();
  baker.listen(0, '127.0.0.1');
  await once(baker, 'listening');
  url = `http://127.0.0.1:${(baker.address() as AddressInfo).port}`;
  port = await freePort();
  server = await serve();
});
afterAll(async () => {
  await scene.close();
  baker.close();
  baker.closeAllConnections();
});

describe('an agent that calls back', () => {
  it('is heard after the server was killed and started again, and what it proves itself by is stored nowhere', async () => {
    const client = connect({ url: server.url });
    const { task_id } = await client.call('task.submit', { agent: 'Baker', input: 'a loaf' });
    for await (const { event } of client.events({ task_id, cursor: 0 }))
      if (event === 'task:notification_awaited') break;
    expect(await client.call('task.status', { task_id })).toMatchObject({
      status: 'executing',
      waiting_for: { kind: 'notification', attempt: 1 },
    });
    client.close();
    server.signal('SIGKILL');
    await server.ended;
    server = await serve();
    const { url: address, token } = push ?? { url: '', token: '' };
    expect(address).toBe(`http://127.0.0.1:${port}/notify/${task_id}`);
    for (const file of ['store.db', 'store.db-wal'])
      expect(readFileSync(join(scene.folder, file)).includes(token)).toBe(false);
    baked = true;
    const notified = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-a2a-notification-token': token },
      body: JSON.stringify(order()),
    });
    expect(notified.status).toBe(202);
    const later = connect({ url: server.url });
    expect(await later.taskResult(task_id)).toMatchObject({ status: 'completed', result: { text: 'bread' } });
    later.close();
  });
});
