import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { seededRandom } from '../chaos/arguments.ts';
import { seed } from '../seed.ts';
import { type FreshDatabase, freshDatabase } from '../services/fresh-database.ts';
import { type Agent, startAgent } from './agent.ts';
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts';
import { readLog, type WireEvent } from './logged-events.ts';
import { mixedAgent, mixedProtocol, settled, submitAndWait, submitRun } from './mixed-load.ts';
import { type Serving, serve } from './serve.ts';
import type { Watching } from './watch.ts';
import { watchSocket } from './watch-socket.ts';
import { watchStream } from './watch-stream.ts';

const random = seededRandom(seed);
const TASKS = 1000;
const CUTS = 40;
const MEAN_BYTES = 25_000;

const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-watch-'));
let database: FreshDatabase;
let agent: Agent;
let servers: readonly Serving[] = [];
let urls: readonly string[] = [];
const proxies: CuttingProxy[] = [];
const watchings: Watching[] = [];

function configOf(name: string): object {
  const provider = { id: name, type: 'jsonrpc-http', config: { url: `${agent.url}/${name}` } };
  return {
    server: { port: 0 },
    store: { type: 'postgres', url: database.url },
    engine: { concurrency: 24 },
    protocols: [{ ...mixedProtocol, providers: [provider] }],
  };
}

/** Follows over a proxy of its own, which leads to one server or the other with each connection. */
async function through(
  watch: typeof watchSocket,
  from: { filter?: { workflow_id: string }; cursor?: number } = {},
): Promise<{ watching: Watching; proxy: CuttingProxy }> {
  const ports = urls.map((url) => Number(new URL(url).port));
  const upstream = () => ports[Math.floor(random() * ports.length)] as number;
  const proxy = await cuttingProxy({ upstream, random, cuts: CUTS, bytes: MEAN_BYTES });
  proxies.push(proxy);
  const watching = watch({ address: proxy.address, ...from });
  watchings.push(watching);
  return { watching, proxy };
}

async function log(): Promise<WireEvent[]> {
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c search_path=gleitzeit -c jit=off',
  });
  await client.connect();
  try {
    return await readLog(client);
  } finally {
    await client.end();
  }
}

/** What arrived is what the log says, in its order: nothing missed, nothing twice, nothing changed on the way. */
async function judge(
  { watching, proxy }: { watching: Watching; proxy: CuttingProxy },
  logged: readonly WireEvent[],
): Promise<void> {
  const after = await watching.began;
  const wanted = logged.filter(({ cursor }) => cursor > after);
  await watching.reach(wanted.at(-1)?.cursor ?? 0);
  const { events, connections } = watching;
  const wrong = wanted.findIndex((event, index) => !isDeepStrictEqual(event, events[index]));
  if (wrong !== -1) expect({ at: wrong, event: events[wrong] }).toEqual({ at: wrong, event: wanted[wrong] });
  expect(events.length).toBe(wanted.length);
  expect(proxy.cuts.length).toBe(CUTS);
  expect(connections).toBe(CUTS + 1);
}

function isNumbered(values: readonly unknown[]): boolean {
  return values.every((value, index) => value === index + 1);
}

beforeAll(async () => {
  database = await freshDatabase(inject('postgresUrl'));
  agent = await startAgent(mixedAgent(random));
  const start = (name: string) => serve({ file: join(folder, `${name}.json`), config: configOf(name) });
  servers = [await start('first'), await start('second')];
  urls = servers.map(({ url }) => url);
});

afterAll(async () => {
  for (const watching of watchings) watching.close();
  for (const proxy of proxies) await proxy.close();
  for (const server of servers) await server.end();
  await agent?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe(`events of two servers on one database, watched through cuts at random bytes (seed ${seed})`, () => {
  it('arrive once and in order over WebSocket and SSE, with a filter and without', async () => {
    const socket = await through(watchSocket);
    const stream = await through(watchStream);
    await Promise.all([socket.watching.began, stream.watching.began]);

    const [url = ''] = urls;
    const workflow_id = await submitRun(url, TASKS, random);
    const filter = { workflow_id };
    const socketOfRun = await through(watchSocket, { filter, cursor: 0 });
    const streamOfRun = await through(watchStream, { filter, cursor: 0 });
    await Promise.all([submitAndWait(urls, random), settled(url, workflow_id)]);

    const all = await log();
    const ofRun = all.filter((event) => event['workflow_id'] === workflow_id);
    expect(isNumbered(all.map(({ cursor }) => cursor))).toBe(true);
    expect(isNumbered(ofRun.map((event) => event['seq']))).toBe(true);
    await judge(socket, all);
    await judge(stream, all);
    await judge(socketOfRun, ofRun);
    await judge(streamOfRun, ofRun);
  }, 120_000);

  it('were written by both engines, and are of many kinds', async () => {
    const all = await log();
    const by = (provider: string) =>
      all.filter(({ event, data }) => event === 'task:routed' && isDeepStrictEqual(data, { provider }));
    expect(Math.min(by('first').length, by('second').length)).toBeGreaterThan(TASKS / 10);
    const kinds = new Set(all.map(({ event }) => event));
    expect([...kinds]).toEqual(
      expect.arrayContaining(['task:waiting', 'task:retrying', 'task:skipped', 'workflow:failed']),
    );
  });
});
