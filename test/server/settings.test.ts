import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ask, JSON_HEADERS, requestText } from './ask.ts';
import { call } from './call.ts';
import { echoProtocols, settledTask, submitEcho } from './echo.ts';
import { type HeldAgent, heldAgent } from './held-agent.ts';
import { openScene, type Scene, type Server } from './scene.ts';

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

function serve(settings: object): Promise<Server> {
  return scene.serve({
    server: { port: 0 },
    protocols: echoProtocols({ only: { url: agent.url } }),
    ...settings,
  });
}

async function post({ url }: Server, body: string): Promise<unknown> {
  return JSON.parse((await ask(`${url}/rpc`, { body, headers: JSON_HEADERS })).text);
}

describe('what the configuration says of limits holds', () => {
  it('for batches and depth', async () => {
    const server = await serve({ server: { port: 0, limits: { batch: 2, depth: 8 } } });
    const info = requestText('system.info');
    expect(await post(server, `[${info},${info}]`)).toHaveLength(2);
    expect(await post(server, `[${info},${info},${info}]`)).toMatchObject({ error: { code: -32600 } });
    const nested = (levels: number) => requestText('task.status', { task_id: JSON.parse(wrapped(levels)) });
    expect(await post(server, nested(6))).toMatchObject({ error: { code: -32602 } });
    expect(await post(server, nested(7))).toMatchObject({
      error: { code: -32600, data: { reason: 'nested deeper than 8 levels' } },
    });
  });

  it('for subscriptions of one connection', async () => {
    const server = await serve({ server: { port: 0, limits: { subscriptions: 1 } } });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/rpc`);
    await once(socket, 'open');
    const answers: unknown[] = [];
    for (const id of [1, 2]) {
      socket.send(requestText('event.subscribe', {}, id));
      const [data] = await once(socket, 'message');
      answers.push(JSON.parse(String(data)));
    }
    expect(answers).toMatchObject([
      { id: 1, result: { subscription_id: expect.any(String) } },
      { id: 2, error: { data: { error_code: 'GLZ4003' } } },
    ]);
    socket.terminate();
  });
});

function wrapped(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

describe('what it says of the engine holds', () => {
  it('for the number of calls at a time', async () => {
    const server = await serve({ engine: { concurrency: 1 } });
    const ids = [await submitEcho(server.url, 'a'), await submitEcho(server.url, 'b')];
    const first = await agent.next();
    const second = agent.next();
    expect(await call(server.url, 'queue.stats', {})).toMatchObject({ tasks: { queued: 1, executing: 1 } });
    expect(await Promise.race([second, call(server.url, 'system.info', {})])).toHaveProperty('version');
    first.reply({ result: 1 });
    (await second).reply({ result: 2 });
    for (const id of ids) expect(await settledTask(server.url, id)).toMatchObject({ status: 'completed' });
  });

  it('for how long what is finished is kept', async () => {
    const before = await serve({});
    const task_id = await submitEcho(before.url, 'gone soon');
    (await agent.next()).reply({ result: 'done' });
    expect(await settledTask(before.url, task_id)).toMatchObject({ status: 'completed' });
    before.signal('SIGTERM');
    await before.ended;
    const server = await serve({ retention: { days: 0 } });
    await expect
      .poll(() => post(server, requestText('task.status', { task_id })), { timeout: 10_000 })
      .toMatchObject({ error: { data: { error_code: 'GLZ1010' } } });
  });
});
