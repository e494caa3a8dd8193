import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { call } from '../server/call.ts';
import type { Program } from '../server/program.ts';
import { startGrpcService, startWebService } from './dialect-services.ts';
import type { Leftovers } from './held.ts';
import { openPlace, type Place, type Served } from './place.ts';
import {
  startHttpService,
  startSilentService,
  startTokenService,
  startWebSocketService,
} from './services.ts';
import type { Service } from './turnstile.ts';

const nothing: Leftovers = { resources: [], files: [], children: [], timers: [] };

/** Whom the providers of a scene reach. */
export type Called = {
  readonly http: Service;
  readonly websocket: Service;
  readonly token: Service;
  readonly web: Service;
  readonly grpc: Service;
};

/** A place, and services that providers of every channel reach. Nothing of it is left after `close`. */
export type Scene = {
  readonly place: Place;
  /** Services that answer until they are told to hold. */
  services(): Promise<Called>;
  /** Services that take connections and say nothing. */
  silent(): Promise<Called>;
  /** Resolves when nobody is connected to any of them. */
  unconnected(): Promise<void>;
  close(): Promise<void>;
};

export function openScene(): Scene {
  const place = openPlace();
  const services: Service[] = [];
  const started = async (service: Promise<Service>) => {
    services.push(await service);
    return service;
  };
  return {
    place,
    services: async () => ({
      http: await started(startHttpService()),
      websocket: await started(startWebSocketService()),
      token: await started(startTokenService()),
      web: await started(startWebService()),
      grpc: await started(startGrpcService()),
    }),
    silent: async () => ({
      http: await started(startSilentService()),
      websocket: await started(startSilentService()),
      token: await started(startSilentService()),
      web: await started(startSilentService()),
      grpc: await started(startSilentService()),
    }),
    unconnected: async () => {
      // Who holds does not look, and sees only then who has gone.
      for (const service of services) service.release();
      await expect
        .poll(() => services.map((service) => service.connections()))
        .toEqual(services.map(() => 0));
    },
    close: async () => {
      await Promise.all(services.map((service) => service.close()));
      await place.close();
    },
  };
}

const protocol = (name: string, providers: readonly object[], more: object = {}) => ({
  name: `${name}/v1`,
  methods: { say: { idempotent: true, params: { text: { type: 'string' }, user: { type: 'string' } } } },
  providers,
  ...more,
});

/** Some are asked again and again, so that one is always under way; others wait for the next time. */
const often = { every: '100ms', timeout: '60s', method: 'say' };
const rarely = { ...often, every: '1h' };

/** One provider for each channel, and everything that may set a timer while it works. */
export function protocolsOf(called: Called, command: readonly string[]): object[] {
  const { http, websocket, token } = called;
  const url = `http://${http.host}`;
  const token_url = `http://${token.host}/token`;
  const oauth2 = { type: 'oauth2', token_url, client_id: 'me', client_secret: '${secrets.token}' };
  const bearer = { type: 'bearer', token: '${secrets.token}' };
  const overHttp = { type: 'jsonrpc-http', config: { url, auth: oauth2 }, health: often };
  const socket = { url: `ws://${websocket.host}`, auth: bearer };
  const overSocket = { type: 'jsonrpc-ws', config: socket, health: rarely };
  const breaker = { failures: 1, cool_down: '1h', most_cool_down: '1h' };
  const down = { id: 'down', type: 'jsonrpc-http', config: { url: 'http://127.0.0.1:1' }, breaker };
  return [
    protocol(
      'http',
      [
        { ...overHttp, id: 'http-1' },
        { ...overHttp, id: 'http-2' },
      ],
      { pool: { hedge: { after: '10ms' } } },
    ),
    protocol('ws', [{ ...overSocket, id: 'ws' }]),
    protocol('stdio', [{ id: 'stdio', type: 'jsonrpc-stdio', config: { command }, health: often }]),
    protocol('slow', [{ id: 'slow', type: 'jsonrpc-http', config: { url } }], {
      limits: { rate: '1/h', per_key: { key: 'params.user', concurrency: 1, rate: '2/h' } },
    }),
    protocol('down', [down]),
    ...dialectsOf(called, command),
  ];
}

const proto = fileURLToPath(new URL('./agent.proto', import.meta.url));

/** One provider for each dialect but JSON-RPC. */
function dialectsOf({ web, grpc }: Called, command: readonly string[]): object[] {
  const url = `http://${web.host}`;
  const poll = { path: '/jobs/1', until: { at: '/done', is: true }, interval: '1h' };
  const tools = { say: 'say' };
  const configs = {
    rest: { url, methods: { say: { path: '/say', body: '${params}' } } },
    job: { url, methods: { say: { path: '/jobs', body: '${params}', poll } } },
    graphql: {
      url: `${url}/graphql`,
      methods: { say: { document: 'mutation Say { say }', result: '/say' } },
    },
    'simple-a2a': { url: `${url}/simple` },
    a2a: { url: `${url}/a2a` },
    zone: { url: `${url}/zone`, params: { channel: 'C1', text: '', bot_token: 'none' } },
    tool: { url: `${url}/mcp`, tools },
    toolbox: { command, tools },
    program: { command: [...command, 'once'] },
    grpc: { url: `grpc://${grpc.host}`, service: 'leftovers.Agent', proto: [proto] },
  };
  const types = {
    job: 'rest',
    zone: 'execution-zone',
    tool: 'mcp-http',
    toolbox: 'mcp-server',
    program: 'process',
  };
  const model = { id: 'model', type: 'llm', config: { api: 'openai', url, default_model: 'small' } };
  return [
    ...Object.entries(configs).map(([name, config]) =>
      protocol(name, [{ id: name, type: (types as Record<string, string>)[name] ?? name, config }]),
    ),
    { name: 'llm/v1', providers: [model] },
  ];
}

const agents = ['graphql', 'simple-a2a', 'a2a', 'zone'] as const;
/** What is called on each of them. */
const dialects = ['rest', ...agents, 'job', 'tool', 'toolbox', 'program', 'grpc', 'llm'] as const;
/** Those that have an address. */
export const addressed = [...dialects].filter((name) => name !== 'toolbox' && name !== 'program');
const toModel = { method: 'generate', params: { prompt: 'Say something.' } };

export function configOf(protocols: readonly object[], engine: object = {}): object {
  return { server: { port: 0 }, secrets: { token: { env: 'TOKEN' } }, engine, protocols };
}

/** With one attempt, so that no second one hides what the first met. */
export async function submit({ url }: Served, name: string, more: object = {}): Promise<string> {
  const once = { retry_config: { max_attempts: 1 } };
  const task = { protocol: `${name}/v1`, method: 'say', params: {}, ...once, ...more };
  return (await call<{ task_id: string }>(url, 'task.submit', task)).task_id;
}

export async function statusOf({ url }: Served, task_id: string): Promise<string> {
  return (await call<{ status: string }>(url, 'task.result', { task_id, wait: 20_000 })).status;
}

/** Every channel has carried a call, one task waits for its rate and one for a service that is down. */
export async function warmUp(server: Served): Promise<void> {
  const user = { params: { user: 'a' } };
  const completes = async (name: string) =>
    expect([name, await statusOf(server, await submitTo(server, name))]).toEqual([name, 'completed']);
  for (const name of ['http', 'ws', 'stdio']) await completes(name);
  expect(await statusOf(server, await submit(server, 'down'))).toBe('failed');
  expect(await statusOf(server, await submit(server, 'slow', user))).toBe('completed');
  await waiting(server, await submit(server, 'down'), 'breaker');
  await waiting(server, await submit(server, 'slow', user), 'rate');
  await Promise.all(dialects.map(completes));
}

/** What the task is told stands in `more`, but for models, which have a method of their own. */
export function submitTo(server: Served, name: string, more: object = {}): Promise<string> {
  return submit(server, name, name === 'llm' ? { ...more, ...toModel } : more);
}

async function waiting({ url }: Served, task_id: string, kind: string): Promise<void> {
  await expect.poll(() => call(url, 'task.status', { task_id })).toMatchObject({ waiting_for: { kind } });
}

/** A call on every channel that is not answered before its service is released; those of programs never are. */
export async function holdCalls(server: Served, called: Called, more: object = {}) {
  const { http, websocket, web, grpc } = called;
  for (const service of [http, websocket, web, grpc]) service.hold();
  const hanging = { ...more, params: { text: 'hang' } };
  const tasks = [
    await submit(server, 'http', more),
    await submit(server, 'ws', more),
    await submit(server, 'stdio', hanging),
  ];
  for (const name of dialects) tasks.push(await submitTo(server, name, hanging));
  // The one over HTTP is made twice, since the first provider asked does not answer; probes may be held besides.
  await Promise.all([http.holding(2), websocket.holding(1), web.holding(3 + agents.length), grpc.holding(1)]);
  await expect.poll(() => server.output().split('holding a call').length).toBeGreaterThan(2);
  await expect.poll(() => server.output()).toContain('holding a program');
  return tasks;
}

export async function expectNothing({ place, unconnected }: Scene, program: Program, left: Leftovers) {
  expect(left).toEqual(nothing);
  expect(place.programs()).toEqual([]);
  expect(await program.ended).toEqual({ code: 0, signal: null });
  await unconnected();
}
