import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Agent, startAgent } from './agent.ts';
import { call } from './call.ts';
import { echoProtocol } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';
import { startSteadyWork } from './steady-work.ts';

const PER_SECOND = 500;
const TIMEOUT_MS = 180_000;
/** How long each configuration is in force. */
const EACH_MS = 700;
const CHANGED = 'the configuration was changed';

/** Who was called: by the path over HTTP, and with which key. */
const calls = new Map<string, number>();
const count = (who: string) => calls.set(who, (calls.get(who) ?? 0) + 1);
/** So many calls are under way at every moment that each change meets some. */
const thinking = () => pause(5 + Math.random() * 40);

let scene: Scene;
let agent: Agent;
let sockets: WebSocketServer;

beforeEach(async () => {
  calls.clear();
  scene = openScene();
  agent = await startAgent(async ({ path, headers }) => {
    count(`${path} ${headers.authorization ?? headers['x-key'] ?? 'without a key'}`);
    await thinking();
    return { result: 'done' };
  });
  sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  sockets.on('connection', (socket) => {
    socket.on('message', async (data) => {
      const { id } = JSON.parse(String(data));
      count('over a WebSocket');
      await thinking();
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: 'done' }));
    });
  });
});
afterEach(async () => {
  await scene.close();
  await agent.close();
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
});

const program = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) =>
  setTimeout(() => console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: 'done' })), 20));`;

const overHttp = (id: string, path: string, more: { config?: object } & object = {}) => ({
  ...more,
  id,
  type: 'jsonrpc-http',
  config: { url: `${agent.url}/${path}`, ...more.config },
});
const overSocket = (id: string) => {
  const { port } = sockets.address() as AddressInfo;
  return { id, type: 'jsonrpc-ws', config: { url: `ws://127.0.0.1:${port}` } };
};
const overStdio = (id: string) => ({
  id,
  type: 'jsonrpc-stdio',
  config: { command: ['node', scene.write('agent.cjs', program)] },
});

const configOf = (providers: readonly object[], protocol: object = {}) => ({
  server: { port: 0 },
  secrets: { first: { env: 'FIRST' }, second: { env: 'SECOND' } },
  protocols: [{ ...echoProtocol, ...protocol, providers }],
});

type Step = { readonly change: string; readonly config: object; readonly calls: readonly string[] };

const bearer = (name: string) => ({ config: { auth: { type: 'bearer', token: `\${secrets.${name}}` } } });
const key = { config: { auth: { type: 'api_key', header: 'x-key', value: '${secrets.second}' } } };

/** What changes, and who is called only after it. */
function steps(): Step[] {
  const a = overHttp('a', 'a', bearer('first'));
  const b = overHttp('b', 'b');
  return [
    { change: 'a provider comes', config: configOf([a, b]), calls: ['/b without a key'] },
    {
      change: 'another secret is shown',
      config: configOf([overHttp('a', 'a', bearer('second')), b]),
      calls: ['/a Bearer the-second'],
    },
    {
      change: 'it is shown in another way',
      config: configOf([overHttp('a', 'a', key), b]),
      calls: ['/a the-second'],
    },
    {
      change: 'weights, tiers, limits and breakers are others',
      config: configOf([
        { ...overHttp('a', 'a', key), weight: 5, limits: { concurrency: 40, rate: '2000/s' } },
        { ...b, breaker: { failures: 2 }, health: { every: '100ms', method: 'say' } },
      ]),
      calls: [],
    },
    {
      change: 'the protocol has limits',
      config: configOf([overHttp('a', 'a', key), b], {
        pool: { select: 'round_robin' },
        limits: { concurrency: 50, rate: '2000/s', per_key: { key: 'params.text', concurrency: 1 } },
      }),
      calls: [],
    },
    {
      change: 'an address is another',
      config: configOf([a, overHttp('b', 'moved')]),
      calls: ['/moved without a key'],
    },
    { change: 'a channel is another', config: configOf([a, overSocket('b')]), calls: ['over a WebSocket'] },
    { change: 'a program comes', config: configOf([overStdio('c'), overSocket('b')]), calls: [] },
    { change: 'all but the program go', config: configOf([overStdio('c')]), calls: [] },
    { change: 'the program goes', config: configOf([overHttp('d', 'd')]), calls: ['/d without a key'] },
    {
      change: 'the protocol has another method',
      config: configOf([overHttp('d', 'd')], { methods: { ...echoProtocol.methods, sing: {} } }),
      calls: [],
    },
  ];
}

async function take(server: Server, config: object): Promise<void> {
  const after = server.log.length;
  scene.write('gleitzeit.yaml', config);
  await server.logged({ message: CHANGED }, after);
}

describe(`under ${PER_SECOND} calls a second`, () => {
  it('every change of providers is taken up without a failed task', { timeout: TIMEOUT_MS }, async () => {
    const env = { FIRST: 'the-first', SECOND: 'the-second' };
    const server = await scene.serve(configOf([overHttp('a', 'a', bearer('first'))]), { env });
    const work = startSteadyWork(server.url, PER_SECOND);
    await pause(EACH_MS);
    for (const step of steps()) {
      expect({ [step.change]: step.calls.filter((who) => calls.has(who)) }).toEqual({ [step.change]: [] });
      await take(server, step.config);
      await pause(EACH_MS);
      for (const who of step.calls)
        await expect
          .poll(() => calls.get(who) ?? 0, { timeout: 20_000, message: step.change })
          .toBeGreaterThan(20);
    }
    const others = () => [...calls].filter(([who]) => !who.startsWith('/d'));
    const before = others();
    const { submitted, per_second, tasks } = await work.end();
    expect(tasks).toEqual({ completed: submitted });
    expect(others()).toEqual(before);
    expect(per_second).toBeGreaterThan(PER_SECOND * 0.95);
    const { items } = await call<{ items: unknown[] }>(server.url, 'provider.list', {});
    expect(items).toMatchObject([{ id: 'd', errors: 0 }]);
  });
});
