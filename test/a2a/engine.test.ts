import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json.ts';
import {
  card03,
  card10,
  closeAll,
  done03,
  done10,
  type Got,
  type Says,
  scripted,
  status03,
  task03,
  task10,
} from '../../src/dialects/a2a/testing/agent.suite.ts';
import { call } from '../server/call.ts';
import { settledTask } from '../server/echo.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';
import { freePort } from '../services/free-port.ts';
import { type RealAgent, startPython, startSdk1, startSdk03 } from './real.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(async () => {
  await scene.close();
  await closeAll();
});

const key = { GLEITZEIT_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') };

function configOf(url: string, protocol_config: JsonObject = {}, server: JsonObject = { port: 0 }) {
  return { server, agents: [{ name: 'Agent', url, protocol: 'jsonrpc-2.0', protocol_config }] };
}

async function submit({ url }: Server, text: string): Promise<string> {
  const { task_id } = await call<{ task_id: string }>(url, 'task.submit', {
    agent: 'Agent',
    input: { text },
  });
  return task_id;
}

const statusOf = ({ url }: Server, task_id: string) => call<JsonObject>(url, 'task.status', { task_id });

const patience = { timeout: 30_000 };

const shows = (server: Server, task_id: string, words: string) =>
  expect.poll(async () => JSON.stringify(await statusOf(server, task_id)), patience).toContain(words);

const comesTo = (server: Server, task_id: string, status: string) =>
  expect.poll(async () => (await statusOf(server, task_id))['status'], patience).toBe(status);

describe.each([
  ['of the SDK for JavaScript 0.3', () => startSdk03()],
  ['of the SDK for JavaScript 1.x', () => startSdk1()],
  ['of the SDK for Python', startPython],
] as const)('a task of an agent %s', (_, start) => {
  let agent: RealAgent;
  beforeAll(async () => {
    agent = await start();
  });
  afterAll(() => agent.end('SIGKILL'));

  it('that waits for input survives the engine, and goes on when it is answered', async () => {
    const first = await scene.serve(configOf(agent.url));
    const task_id = await submit(first, 'ask');
    await comesTo(first, task_id, 'input_required');
    const asked = await statusOf(first, task_id);
    expect(JSON.stringify(asked)).toContain('which city?');
    first.signal('SIGKILL');
    await first.ended;
    const second = await scene.serve(configOf(agent.url));
    expect(await statusOf(second, task_id)).toMatchObject({ status: 'input_required' });
    await call(second.url, 'task.respond', { task_id, response: { text: 'Bonn' } });
    const { status, result } = await settledTask(second.url, task_id);
    expect(status).toBe('completed');
    expect(String((result as JsonObject)['text']).replaceAll('\n', '')).toBe('city: Bonn');
  });

  it('A16 that is to be told when it is done waits for that, and is', async () => {
    const port = await freePort();
    // Nobody asks in between: what comes, comes by a call back.
    const pushed = { push: true, push_timeout: '1h' };
    const config = configOf(agent.url, pushed, { port, public_url: `http://127.0.0.1:${port}` });
    const server = await scene.serve(config, { env: key });
    const task_id = await submit(server, 'later');
    const { status, result } = await settledTask(server.url, task_id);
    expect(status).toBe('completed');
    expect(String((result as JsonObject)['text']).replaceAll('\n', '')).toBe('LATER');
    const { attempts } = await statusOf(server, task_id);
    expect((attempts as Json[]).length).toBeGreaterThan(1);
  });
});

it('a task that is cancelled is cancelled at its agent', async () => {
  const told = Promise.withResolvers<JsonObject>();
  const agent = await scripted(({ rpc }: Got, says: Says) => {
    if (rpc === null) return says.json(card03('/'));
    if (rpc.method === 'message/stream') return says.events(task03('working'), status03('working', 'on it'));
    told.resolve({ method: rpc.method, ...rpc.params });
    return says.result(task03('canceled'));
  });
  const server = await scene.serve(configOf(agent.url));
  const task_id = await submit(server, 'wait');
  await shows(server, task_id, 'on it');
  await call(server.url, 'task.cancel', { task_id });
  expect(await told.promise).toEqual({ method: 'tasks/cancel', id: 't1' });
  expect((await settledTask(server.url, task_id)).status).toBe('cancelled');
});

describe('a task that an agent works on when the engine dies', () => {
  it.each([
    ['0.3', card03('/'), 'message/stream', task03('working'), done03('found again')],
    ['1.0', card10('/'), 'SendStreamingMessage', task10('WORKING'), done10('found again')],
  ] as const)('is found again, and is not begun twice (%s)', async (_, card, stream, working, done) => {
    let revived = false;
    const begun = Promise.withResolvers<void>();
    const agent = await scripted(({ rpc }: Got, says: Says) => {
      if (rpc === null) return says.json(card);
      if (rpc.method === stream) {
        begun.resolve();
        return says.events(working);
      }
      if (!revived) return says.error(-32603, 'not yet');
      says.events(done);
      return says.end();
    });
    const first = await scene.serve(configOf(agent.url));
    const task_id = await submit(first, 'long');
    await begun.promise;
    await shows(first, task_id, 'its task t1');
    first.signal('SIGKILL');
    await first.ended;
    revived = true;
    const second = await scene.serve(configOf(agent.url));
    expect(await settledTask(second.url, task_id)).toMatchObject({
      status: 'completed',
      result: { text: 'found again' },
    });
    expect(agent.calls().filter((method) => method === stream)).toHaveLength(1);
  });
});

describe('A16 a task whose agent calls back', () => {
  const pushes = { capabilities: { pushNotifications: true } };

  it.each([
    ['0.3', card03('/', pushes), { ...status03('completed'), final: true }, 'x-a2a-notification-token'],
    [
      '1.0',
      card10('/', pushes),
      { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } },
      'authorization',
    ],
  ] as const)(
    'A16 is held by nobody meanwhile, also over a restart, and goes on with the word of %s',
    async (version, card, body, header) => {
      const told = Promise.withResolvers<{ url: string; token: string }>();
      const agent = await scripted(({ rpc }: Got, says: Says) => {
        if (rpc === null) return says.json(card);
        if (rpc.method === 'tasks/get') return says.result(done03('told'));
        if (rpc.method === 'GetTask') return says.result((done10('told')['task'] ?? {}) as JsonObject);
        const { pushNotificationConfig, taskPushNotificationConfig } = rpc.params[
          'configuration'
        ] as JsonObject;
        told.resolve(
          (pushNotificationConfig ?? taskPushNotificationConfig) as { url: string; token: string },
        );
        return says.result(version === '0.3' ? task03('working') : task10('WORKING'));
      });
      const port = await freePort();
      const config = configOf(agent.url, { push: true }, { port, public_url: `http://127.0.0.1:${port}` });
      const first = await scene.serve(config, { env: key });
      const task_id = await submit(first, 'long');
      const { url, token } = await told.promise;
      await expect
        .poll(async () => (await statusOf(first, task_id))['waiting_for'], patience)
        .toMatchObject({ kind: 'notification' });
      first.signal('SIGKILL');
      await first.ended;
      const second = await scene.serve(config, { env: key });
      const notify = (shown: string) =>
        fetch(url, {
          method: 'POST',
          headers: {
            'content-type': version === '0.3' ? 'application/json' : 'application/a2a+json',
            [header]: shown,
          },
          body: JSON.stringify(body),
        });
      const proof = header === 'authorization' ? `Bearer ${token}` : token;
      expect((await notify(`${proof}x`)).ok).toBe(false);
      expect((await notify(proof)).ok).toBe(true);
      expect(await settledTask(second.url, task_id)).toMatchObject({
        status: 'completed',
        result: { text: 'told' },
      });
      // Again, as services do that have not heard that it arrived.
      expect((await notify(proof)).status).toBeLessThan(500);
      expect(
        agent.calls().filter((method) => method === 'message/send' || method === 'SendMessage'),
      ).toHaveLength(1);
    },
  );
});
