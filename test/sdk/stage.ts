import { systemRandom } from '../../src/embedded/system.ts';
import { createKey } from '../../src/server/access/keys.ts';
import { seededRandom } from '../chaos/arguments.ts';
import { startAgent } from '../server/agent.ts';
import { type CuttingProxy, cuttingProxy } from '../server/cutting-proxy.ts';
import { echoProtocol } from '../server/echo.ts';
import { mixedAgent, mixedProtocol, submitRun } from '../server/mixed-load.ts';
import { openScene, type Server } from '../server/scene.ts';
import { watchSocket } from '../server/watch-socket.ts';
import { freePort } from '../services/free-port.ts';
import { HeldAnswers } from './held-answers.ts';
import type { Controls, Keys, Logged, ServerName } from './world.ts';

/** The servers, agents and proxies that the suite plays on. */
export type Stage = {
  readonly control: Controls;
  readonly keys: Keys;
  readonly nowhere: string;
  close(): Promise<void>;
};

export type StageOptions = {
  readonly seed: number;
  /** Whose pages may use the servers. */
  readonly origins: readonly string[];
};

export async function openStage({ seed, origins }: StageOptions): Promise<Stage> {
  const random = seededRandom(seed);
  const scene = openScene();
  const held = new HeldAnswers();
  const agents = { mixed: await startAgent(mixedAgent(random)), echo: await startAgent(held.call) };
  const viewer = createKey('viewer', 'viewer', systemRandom());
  const operator = createKey('operator', 'operator', systemRandom());
  const ports: Record<ServerName, number> = { open: await freePort(), kept: await freePort() };
  const keys = { open: [], kept: [viewer.entry, operator.entry] };
  const start = (name: ServerName): Promise<Server> =>
    scene.serve(
      {
        server: { port: ports[name], allowed_origins: origins, keys: keys[name] },
        store: { path: `${name}.db` },
        engine: { concurrency: 500 },
        protocols: [
          served(mixedProtocol, 'mixed', agents.mixed.url),
          served(echoProtocol, 'echo', agents.echo.url),
        ],
      },
      { file: `${name}.yaml` },
    );
  let server = await start('open');
  await start('kept');
  const proxies = new Map<string, CuttingProxy>();
  const proxyAt = (url: string): CuttingProxy => {
    const proxy = proxies.get(url);
    if (proxy === undefined) throw new Error(`there is no proxy at ${url}`);
    return proxy;
  };
  const closeProxies = async () => {
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    proxies.clear();
  };
  const control: Controls = {
    proxy: async ({ to, cuts = 0, bytes = 1 }) => {
      const proxy = await cuttingProxy({ upstream: () => ports[to], random, cuts, bytes });
      const url = `http://${proxy.address}`;
      proxies.set(url, proxy);
      return url;
    },
    cutAll: async (url) => proxyAt(url).cutAll(),
    cutsSoFar: async (url) => proxyAt(url).cuts.length,
    kill: async () => {
      server.signal('SIGKILL');
      await server.ended;
    },
    start: async () => {
      server = await start('open');
    },
    log: () => logOf(new URL(server.url).host),
    subscriptions: () => gauge(server.url, /^gleitzeit_api_subscriptions(?:\{\})? (\d+)$/m),
    webSockets: () => gauge(server.url, /^gleitzeit_api_connections\{carrier="websocket"\} (\d+)$/m),
    submitRun: (size) => submitRun(server.url, size, random),
    answer: async (texts, outcome = 'completed') => {
      await Promise.all([texts].flat().map((text) => held.answer(text, outcome)));
    },
    tidy: closeProxies,
  };
  return {
    control,
    keys: { viewer: viewer.key, operator: operator.key },
    nowhere: `http://127.0.0.1:${await freePort()}`,
    close: async () => {
      await closeProxies();
      await scene.close();
      await Promise.all([agents.mixed.close(), agents.echo.close()]);
    },
  };
}

function served(protocol: object, id: string, url: string): object {
  return { ...protocol, providers: [{ id, type: 'jsonrpc-http', config: { url } }] };
}

/** Everything that happened until now, read without the client that is tested. */
async function logOf(address: string): Promise<readonly Logged[]> {
  const now = watchSocket({ address });
  const newest = await now.began;
  now.close();
  if (newest === 0) return [];
  const all = watchSocket({ address, cursor: 0 });
  await all.reach(newest);
  all.close();
  return all.events;
}

async function gauge(url: string, line: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, value] = line.exec(text) ?? [];
  if (value === undefined) throw new Error(`no line of the metrics matches ${line}`);
  return Number(value);
}
