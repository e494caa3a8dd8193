import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { call } from '../../test/server/call.ts';
import { freshDatabase } from '../../test/services/fresh-database.ts';
import { InProcessBroker } from '../bridge/in-process/broker.ts';
import { InProcessWorld } from '../bridge/in-process/world.ts';
import { defaultGroups, defaultTopics } from '../bridge/topics.ts';
import { loadServerConfig } from './load.ts';
import { startServer } from './server.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  delete process.env['GLEITZEIT_SECRET_KEY'];
  for (const end of ends.splice(0).reverse()) await end();
});

const WINDOW = 3;
const TASKS = 10;

type Item = { readonly status: string; readonly waiting_for?: unknown };

it('the window of a provider is one for all engines of a store', async () => {
  const database = await freshDatabase(inject('postgresUrl'));
  ends.push(() => database.drop());
  const cwd = mkdtempSync(join(tmpdir(), 'gleitzeit-window-'));
  ends.push(() => rmSync(cwd, { recursive: true, force: true }));
  process.env['GLEITZEIT_SECRET_KEY'] = randomBytes(32).toString('base64');
  const file = join(cwd, 'gleitzeit.yaml');
  const settings = {
    ...{ server: { port: 0 }, logging: { level: 'silent' }, store: { type: 'postgres', url: database.url } },
    // Its broker is another one; nobody takes from it, so that whatever is published stays there.
    dispatch: { type: 'kafka', brokers: ['127.0.0.1:1'], window: WINDOW },
    agents: [{ name: 'Far', url: 'http://127.0.0.1:1' }],
  };
  writeFileSync(file, JSON.stringify(settings));
  const world = new InProcessWorld();
  const load = () => loadServerConfig({ file, env: {}, cwd, database_url: false });
  const start = async () => {
    const broker = new InProcessBroker(world);
    const server = await startServer({ config: await load(), load, environment: {}, broker });
    ends.push(() => server.stop());
    return server;
  };
  const servers = [await start(), await start()];
  const ids: string[] = [];
  for (let n = 0; n < TASKS; n++) {
    const task = { agent: 'Far', input: { text: String(n) } };
    ids.push((await call<{ task_id: string }>(servers[n % 2]?.url ?? '', 'task.submit', task)).task_id);
  }
  const counted = async () => {
    const ask = (task_id: string) => call<Item>(servers[0]?.url ?? '', 'task.status', { task_id });
    const items = await Promise.all(ids.map(ask));
    const waiting = items.filter(({ status, waiting_for }) => status === 'queued' && Boolean(waiting_for));
    return { away: items.filter(({ status }) => status === 'routed').length, waiting: waiting.length };
  };
  await expect.poll(counted).toEqual({ away: WINDOW, waiting: TASKS - WINDOW });
  const client = new InProcessBroker(world);
  expect(await client.lag(defaultGroups.bridges, defaultTopics.tasks)).toBe(WINDOW);
  await client.close(0);
});
