import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { InProcessBroker } from '../bridge/in-process/broker.ts';
import { InProcessWorld } from '../bridge/in-process/world.ts';
import { Arrivals, text } from '../bridge/suite/harness.suite.ts';
import { defaultGroups, defaultTopics, dispatchTopics } from '../bridge/topics.ts';
import type { JsonObject } from '../core/json.ts';
import { systemRandom } from '../embedded/system.ts';
import { createKey } from '../server/access/keys.ts';
import { startBridge } from './bridge.ts';
import { loadServerConfig } from './load.ts';
import { startServer } from './server.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An agent that answers only those who show it the token. */
async function guardedAgent(token: string): Promise<string> {
  const server = createServer((request, response) => {
    const known = request.headers.authorization === `Bearer ${token}`;
    response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
    request.resume().on('end', () => response.end('{"status":"success","output":{"text":"let in"}}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function configOf(settings: object) {
  const cwd = mkdtempSync(join(tmpdir(), 'gleitzeit-registry-'));
  const file = join(cwd, 'gleitzeit.yaml');
  writeFileSync(file, JSON.stringify({ logging: { level: 'silent' }, ...settings }));
  return loadServerConfig({ file, env: { AGENT_TOKEN: 'of-the-file' }, cwd, database_url: false });
}

async function setUp() {
  const keys = {
    bridge: createKey('b', 'bridge', systemRandom()),
    admin: createKey('a', 'admin', systemRandom()),
  };
  const url = await guardedAgent('of-the-file');
  const config = await configOf({
    server: { port: 0, keys: [keys.bridge.entry, keys.admin.entry] },
    secrets: { token: { env: 'AGENT_TOKEN' } },
    agents: [{ name: 'Filed', url, auth_config: { type: 'bearer', token: '${secrets.token}' } }],
  });
  const server = await startServer({ config, load: async () => config, environment: {} });
  ends.push(() => server.stop());
  const register = async (entry: object) => {
    const headers = { authorization: `Bearer ${keys.admin.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify(entry);
    const answer = await fetch(new URL('/api/v1/agents', server.url), { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
  };
  return { url: server.url, keys, register };
}

async function startOn(registry_url: string, key: string) {
  const world = new InProcessWorld();
  const client = new InProcessBroker(world);
  await client.ensure(dispatchTopics(defaultTopics, defaultGroups, 3));
  const results = new Arrivals<JsonObject>();
  const options = { topic: defaultTopics.results, group: defaultGroups.engines, most_unacknowledged: 100 };
  await client.consume(options, (deliveries) =>
    results.add(deliveries.map((delivery) => JSON.parse(text(delivery)) as JsonObject)),
  );
  const config = await configOf({ bridge: { registry_url, stop_timeout: '1s' } });
  const bridge = await startBridge({ config, environment: {}, key, broker: new InProcessBroker(world) });
  ends.push(() => bridge.stop());
  const send = (agent_name: string) => {
    const task = { run_id: 'r', task_id: agent_name, agent_name, input_data: {}, correlation_id: agent_name };
    return client.publish(defaultTopics.tasks, [{ key: 'r', value: JSON.stringify(task) }]);
  };
  return { results, send };
}

it('a bridge without a store has agents and their secrets from a server, those that come later included', async () => {
  const { url, keys, register } = await setUp();
  const auth_config = { type: 'bearer', token: 'token-77' };
  await register({ name: 'Early', url: await guardedAgent('token-77'), auth_config });
  const { results, send } = await startOn(url, keys.bridge.key);
  await register({ name: 'Late', url: await guardedAgent('token-77'), auth_config });
  for (const name of ['Filed', 'Early', 'Late']) await send(name);
  await results.until(({ length }) => length === 3);
  for (const result of results.items)
    expect(result).toMatchObject({ status: 'SUCCESS', output_data: { text: 'let in' } });
});

it('a key of another role is shown no secret, so that the agent lets nobody in; a wrong key ends the start', async () => {
  const { url, keys } = await setUp();
  const { results, send } = await startOn(url, keys.admin.key);
  await send('Filed');
  await results.until(({ length }) => length === 1);
  expect(results.items[0]).toMatchObject({ status: 'FAILURE' });
  await expect(startOn(url, 'glz_wrong_key')).rejects.toMatchObject({ code: 'GLZ4001' });
});
