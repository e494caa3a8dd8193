import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type HeldAgent, heldAgent } from '../../test/server/held-agent.ts';
import type { GetRoute } from '../rpc/listener/route.ts';
import { quiet } from '../rpc/testing/quiet.suite.ts';
import { type EmbeddedHouse, openEmbeddedHouse } from './embedded-house.ts';
import { loadServerConfig } from './load.ts';
import { openZone, type Zone } from './zone.ts';

let folder: string;
let agent: HeldAgent;
let embedded: EmbeddedHouse;
let zone: Zone;

async function openHouse(): Promise<EmbeddedHouse> {
  const provider = { type: 'jsonrpc-http', config: { url: agent.url } };
  const text = JSON.stringify({
    store: { path: join(folder, 'store.db') },
    protocols: [{ name: 'chat/v1', methods: { answer: {} }, providers: [provider] }],
    zone: { execute: { protocol: 'chat/v1', method: 'answer' }, agentcore: 'open', retention: '1h' },
  });
  const config = await loadServerConfig({ file: null, text, env: {}, cwd: folder, database_url: false });
  return openEmbeddedHouse({ config, environment: {}, logger: quiet.logger, works: true });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zone-'));
  agent = await heldAgent();
  embedded = await openHouse();
  const opened = openZone(embedded.house);
  if (opened === null) throw new Error('there is a zone in the configuration');
  zone = opened;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await agent.close();
  await embedded.stop(0);
  await rm(folder, { recursive: true, force: true });
});

async function ask(method: string, params: object) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params });
  return JSON.parse(await zone.served.endpoint(Buffer.from(body)));
}

const task = { channel: 'C1', text: 'hello', bot_token: 'xoxb-of-a-test' };

it('a result is kept for as long as it is said, whatever becomes of the clock on the wall', async () => {
  const { result } = await ask('execute_task', { ...task, budget_ms: 0 });
  (await agent.next()).reply({ result: 'done' });
  const poll = () => ask('get_async_task_result', { task_id: result.task_id, budget_ms: 20_000 });
  expect(await poll()).toMatchObject({ result: { status: 'success' } });
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + 24 * 3600 * 1000);
  expect(await poll()).toMatchObject({ result: { status: 'success' } });
});

it('the runtime hears of work that goes on, and not of runs that are paused', async () => {
  const ping = zone.routes.find((route): route is GetRoute => route.path === '/ping');
  const status = async () => {
    const request = { query: new URLSearchParams(), headers: {} } as Parameters<GetRoute['answer']>[0];
    return JSON.parse(String((await ping?.answer(request))?.body)).status;
  };
  expect(await status()).toBe('Healthy');
  const { engine } = embedded.house;
  const step = { protocol: 'chat/v1', method: 'answer' };
  const { workflow_id } = await engine.submitWorkflow({ name: 'slow', tasks: [{ id: 'one', ...step }] });
  const first = await agent.next();
  expect(await status()).toBe('HealthyBusy');
  await engine.pauseRun(String(workflow_id));
  expect(await status()).toBe('Healthy');
  await ask('execute_task', { ...task, budget_ms: 0 });
  const second = await agent.next();
  expect(await status()).toBe('HealthyBusy');
  for (const call of [first, second]) call.reply({ result: 1 });
  await expect.poll(status).toBe('Healthy');
});

it('is not opened where no token could be kept: the first request would be a bad moment to find out', async () => {
  await embedded.stop(0);
  await writeFile(join(folder, 'secret.key'), 'no key at all\n', { mode: 0o600 });
  embedded = await openHouse();
  expect(() => openZone(embedded.house)).toThrow(expect.objectContaining({ code: 'GLZ3010' }));
});
