import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { call } from '../../test/server/call.ts';
import { settledTask } from '../../test/server/echo.ts';
import { freshDatabase } from '../../test/services/fresh-database.ts';
import { InProcessBroker } from '../bridge/in-process/broker.ts';
import { InProcessWorld } from '../bridge/in-process/world.ts';
import { Arrivals, text } from '../bridge/suite/harness.suite.ts';
import { defaultGroups, defaultTopics } from '../bridge/topics.ts';
import type { Config } from '../config.ts';
import type { JsonObject } from '../core/json.ts';
import { startService } from '../dialects/rest/peer.suite.ts';
import { openAt, silent } from '../store/postgres/harness.suite.ts';
import { sweepOnce } from './aside.ts';
import { startBridge } from './bridge.ts';
import { loadServerConfig } from './load.ts';
import { startServer } from './server.ts';

const ends: (() => unknown)[] = [];
let config: Config;
let world: InProcessWorld;
let url: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeEach(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  ends.push(() => database.drop());
  const cwd = mkdtempSync(join(tmpdir(), 'gleitzeit-aside-'));
  ends.push(() => rmSync(cwd, { recursive: true, force: true }));
  process.env['GLEITZEIT_SECRET_KEY'] = randomBytes(32).toString('base64');
  ends.push(() => delete process.env['GLEITZEIT_SECRET_KEY']);
  const service = await startService(({ body }) => {
    const { task_id, input } = JSON.parse(body) as { task_id: string; input: { text: string } };
    const output = { text: input.text.toUpperCase() };
    return { json: { task_id, status: 'success', output } };
  });
  ends.push(() => service.stop());
  const file = join(cwd, 'gleitzeit.yaml');
  const settings = {
    ...{ server: { port: 0 }, logging: { level: 'silent' }, store: { type: 'postgres', url: database.url } },
    dispatch: { type: 'kafka', brokers: ['127.0.0.1:1'] },
    agents: [{ name: 'Far', url: service.url, retry_config: { max_retries: 0 } }],
  };
  writeFileSync(file, JSON.stringify(settings));
  const load = () => loadServerConfig({ file, env: {}, cwd, database_url: false });
  config = await load();
  world = new InProcessWorld();
  const broker = () => new InProcessBroker(world);
  const server = await startServer({ config, load, environment: {}, broker: broker() });
  ends.push(() => server.stop());
  const bridge = await startBridge({ config, environment: {}, broker: broker() });
  ends.push(() => bridge.stop());
  url = server.url;
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const large = 'x'.repeat(3_000_000);

async function aside(): Promise<number> {
  const store = await openAt(database.url);
  const { items } = await store.reads.documents('messages', { limit: 10 });
  await store.close();
  return items.length;
}

describe('params and results that are too large for the broker', () => {
  it('travel by reference, and nothing of them is left', async () => {
    const task = { agent: 'Far', input: { text: large } };
    const { task_id } = await call<{ task_id: string }>(url, 'task.submit', task);
    const { status, result } = await settledTask(url, task_id);
    expect(status).toBe('completed');
    expect((result as { text: string }).text === large.toUpperCase()).toBe(true);
    await expect.poll(aside).toBe(0);
  });

  it('of other executors cannot: they are told so', async () => {
    const client = new InProcessBroker(world, { largest_message: 8_000_000 });
    const heard = new Arrivals<JsonObject>();
    const options = { topic: defaultTopics.results, group: 'onlooker', most_unacknowledged: 10 };
    await client.ensure([
      { name: defaultTopics.tasks, kind: 'work', groups: [defaultGroups.bridges] },
      { name: defaultTopics.results, kind: 'work', groups: ['onlooker'] },
    ]);
    await client.consume(options, (deliveries) =>
      heard.add(deliveries.map((delivery) => JSON.parse(text(delivery)) as JsonObject)),
    );
    const ids = { run_id: 'r', task_id: 't', correlation_id: 'c' };
    const value = JSON.stringify({ ...ids, agent_name: 'Far', input_data: { text: large } });
    await client.publish(defaultTopics.tasks, [{ key: 'r', value }]);
    await heard.count(1);
    expect(heard.items[0]).toMatchObject({ ...ids, status: 'FAILURE' });
    expect(heard.items[0]?.['error_message']).toContain('the broker takes 1000000 at most');
    await client.close(0);
  });

  it('that nobody came for are swept away when nobody can come any more', async () => {
    const store = await openAt(database.url);
    const put = (key: string) =>
      store.commit({
        writes: [{ kind: 'put_document', collection: 'messages', key, text: '{}', expect: 0 }],
        claim: null,
      });
    for (let n = 0; n < 20; n++) await put(`00000000000000${n % 10}-${n}`);
    await put(`${String(Date.now()).padStart(15, '0')}-new`);
    expect(await sweepOnce(config, store, silent)).toBe(20);
    await store.close();
    expect(await aside()).toBe(1);
  });
});
