import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { echoProtocol } from '../test/server/echo.ts';
import { measureAttack } from './attack.ts';
import { PROTOCOL, STEP } from './gleitzeit.ts';
import { type Payload, payload, type Result } from './payload.ts';
import { inChild, startAgent } from './processes.ts';
import { RpcClient } from './rpc-client.ts';
import { RpcSocket } from './rpc-socket.ts';
import { startServer } from './server-process.ts';
import type { Place } from './store.ts';
import { measureSubscribers } from './subscribers.ts';
import type { Session } from './system.ts';

const WAIT_MS = 30_000;
const WARM_REQUESTS = 1000;
const CONNECTIONS = 20;
/** What a start leaves to be compiled and collected is no part of being idle. */
const SETTLING_MS = 5000;

interface Submitted {
  readonly task_id: string;
}

interface Outcome {
  readonly status: string;
  readonly result: Result;
}

interface Caller {
  call<Answer>(method: string, params: object): Promise<Answer>;
}

/** Ours as callers outside know it: the server as shipped, with the agent as its provider and everything over the wire. */
export async function openServed(place: Place): Promise<Session> {
  const agent = await startAgent();
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-bench-server-'));
  const configuration = configurationOf(place, folder, agent.url);
  let server = await startServer(folder, configuration);
  const client = new RpcClient(server.url, CONNECTIONS);
  let socket: RpcSocket | undefined;
  const overSocket = async (task: Payload) => {
    socket ??= await RpcSocket.open(server.url);
    return runBy(socket, task);
  };

  return {
    warm: async () => {
      for (let index = 0; index < WARM_REQUESTS; index++) await runBy(client, payload(`warm-${index}`));
      for (let index = 0; index < WARM_REQUESTS; index++) await overSocket(payload(`warm-${index}`));
    },
    request: (task) => runBy(client, task),
    requestOverSocket: overSocket,
    fill: async (amounts) => {
      await server.stop();
      await inChild('./fill-gleitzeit.ts', [JSON.stringify(configuration.store), JSON.stringify(amounts)]);
      server = await startServer(folder, configuration);
    },
    idle: async (ms) => {
      await pause(SETTLING_MS);
      const before = await server.cpuSeconds();
      await pause(ms);
      const used = (await server.cpuSeconds()) - before;
      return { resident_bytes: await server.residentBytes(), core_share: (used * 1000) / ms };
    },
    subscribers: (tasks) =>
      measureSubscribers(server, tasks, () =>
        client.call('task.submit', { ...STEP, params: payload('load') }),
      ),
    attack: (duration) =>
      measureAttack(server.url, duration, {
        call: () => client.call('system.info', {}),
        task: () => runBy(client, payload('good')),
      }),
    close: async () => {
      socket?.close();
      await client.close();
      await server.stop();
      await agent.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function runBy(caller: Caller, task: Payload): Promise<Result> {
  const { task_id } = await caller.call<Submitted>('task.submit', { ...STEP, params: task });
  const { status, result } = await caller.call<Outcome>('task.result', { task_id, wait: WAIT_MS });
  if (status !== 'completed') throw new Error(`the task of ${task.key} is ${status}`);
  return result;
}

function configurationOf(place: Place, folder: string, agent: string) {
  const store =
    place.store === 'postgres'
      ? { type: 'postgres', url: place.url, schema: place.space }
      : { type: 'sqlite', path: join(folder, 'store.db') };
  const provider = { id: 'agent', type: 'jsonrpc-http', config: { url: agent } };
  return {
    store,
    protocols: [
      { ...PROTOCOL, providers: [provider] },
      { ...echoProtocol, providers: [] },
    ],
    logging: { level: 'warn' },
  };
}
