import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RawData, WebSocket } from 'ws';
import { createDispatch, defaultDispatchLimits, type MethodHandler } from '../dispatch.ts';
import { exampleMethods } from '../examples.suite.ts';
import { plainPolicy, type RpcPolicy } from '../policy.ts';
import { quiet } from '../testing/quiet.suite.ts';
import { systemTimers } from '../testing/timers.suite.ts';
import { defaultListenerLimits, type ListenerLimits } from './limits.ts';
import { createListener, type Listener, type ListenerOptions } from './listener.ts';
import type { Connection, Route, RpcRoute } from './route.ts';

type Methods = Readonly<Record<string, MethodHandler<Connection>>>;

export type Started = { readonly listener: Listener; readonly url: string; readonly port: number };

const started: Listener[] = [];
const sockets: (Socket | WebSocket)[] = [];

/** For `afterEach`: ends what the test that just ran has started. */
export async function stopAll(): Promise<void> {
  for (const socket of sockets.splice(0)) 'terminate' in socket ? socket.terminate() : socket.destroy();
  await Promise.all(started.splice(0).map((listener) => listener.stop(0)));
}

export function rpcRoute(methods: Methods = {}, policy: RpcPolicy = plainPolicy): RpcRoute {
  const dispatch = createDispatch<Connection>({
    methods: new Map([...exampleMethods, ...Object.entries(methods)]),
    policy,
    limits: defaultDispatchLimits,
    ...quiet,
  });
  return { kind: 'rpc', path: '/rpc', dispatch, policy };
}

type StartOptions = Partial<Omit<ListenerOptions, 'limits'>> & {
  readonly limits?: Partial<ListenerLimits>;
  readonly methods?: Methods;
  readonly policy?: RpcPolicy;
  readonly routes?: readonly Route[];
};

export async function start({
  limits,
  methods,
  policy,
  routes = [],
  ...options
}: StartOptions = {}): Promise<Started> {
  const listener = createListener({
    on: { host: '127.0.0.1', port: 0 },
    limits: { ...defaultListenerLimits, ...limits },
    allowed_hosts: [],
    allowed_origins: [],
    timers: systemTimers,
    ...quiet,
    ...options,
  });
  for (const route of [rpcRoute(methods, policy), ...routes]) listener.mount(route);
  const { url, port } = await listener.start();
  started.push(listener);
  return { listener, url, port };
}

export type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: () => unknown;
};

export async function post(url: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  return request(`${url}/rpc`, {
    method: 'POST',
    body: body as string,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export async function request(url: string, init: RequestInit = {}): Promise<Answered> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

export function call(method: string, params: unknown = [], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** A connection on which a test writes what no client would. */
export type RawClient = {
  readonly socket: Socket;
  write(text: string | Uint8Array): void;
  /** Everything read so far, once it matches. Rejects when the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  readonly ended: Promise<string>;
};

export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await once(socket, 'connect');
  return {
    socket,
    write: (said) => void socket.write(said),
    until: async (pattern) => {
      while (!pattern.test(text)) {
        if (socket.closed) throw new Error(`the connection ended after: ${text}`);
        await Promise.race([new Promise((resolve) => socket.once('data', resolve)), ended]);
      }
      return text;
    },
    ended,
  };
}

export function rawPost(body: string, headers = ''): string {
  const length = Buffer.byteLength(body);
  return `POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`;
}

export type SocketClient = {
  readonly socket: WebSocket;
  send(text: string): void;
  /** The next message that nobody has taken yet. */
  next(): Promise<string>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
};

export async function socketClient(url: string, headers: Record<string, string> = {}): Promise<SocketClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, { headers, perMessageDeflate: false });
  sockets.push(socket);
  const messages: string[] = [];
  const waiting: ((message: string) => void)[] = [];
  socket.on('message', (message: RawData) => {
    const take = waiting.shift();
    if (take === undefined) messages.push(String(message));
    else take(String(message));
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await once(socket, 'open');
  socket.on('error', () => {});
  return {
    socket,
    closed,
    send: (text) => socket.send(text),
    next: () =>
      new Promise((resolve) => {
        const message = messages.shift();
        if (message === undefined) waiting.push(resolve);
        else resolve(message);
      }),
  };
}
