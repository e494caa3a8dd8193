import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '../../api/roles.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Cipher } from '../../core/ports/cipher.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { mapSealed } from '../../core/secrets.ts';
import { functionProvider } from '../../dialects/function/provider.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultOptions, Engine } from '../../engine/engine.ts';
import { keepingLogger, type LogLine } from '../../engine/testing/world.suite.ts';
import { createAgents } from '../../registry/agents.ts';
import { createDefinitions } from '../../registry/definitions.ts';
import { createProtocols } from '../../registry/protocols.ts';
import { createStoredProtocols } from '../../registry/stored-protocols.ts';
import { CallStats } from '../../router/call-stats.ts';
import { localDispatch } from '../../router/local-dispatch.ts';
import { Pools } from '../../router/pools.ts';
import type { Connection, RpcRoute } from '../../rpc/listener/route.ts';
import type { ServerSocket } from '../../rpc/websocket/server-socket.ts';
import { createCipher } from '../../store/cipher.ts';
import { hashText } from '../../store/hash.ts';
import { openSqliteStore } from '../../store/sqlite/store.ts';
import { createFace, type FaceParts } from '../face.ts';

export type RpcAnswer = {
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data: JsonObject };
};

export type CallOptions = {
  readonly role?: Role;
  readonly socket?: ServerSocket;
  readonly signal?: AbortSignal;
  readonly headers?: Connection['headers'];
  readonly aside?: Connection['aside'];
};

export const testProtocol = {
  name: 'test/v1',
  methods: {
    echo: {},
    add: { params: { a: { type: 'number', required: true }, b: { type: 'number', default: 1 } } },
    refuse: {},
    /** Answers when the test says so. */
    hold: {},
    sign: { params: { key: { type: 'string', 'x-secret': true } }, returns: { token: { 'x-secret': true } } },
  },
};

/** Nobody else counts here. */
const noDocuments = {
  list: async () => ({ items: [], next_cursor: null }),
  put: async () => {},
  remove: async () => {},
};

/** Nobody is called here. */
const unasked: Pick<FaceParts['agents'], 'problem' | 'ping' | 'check' | 'discover'> = {
  problem: () => null,
  ping: async () => ({ well: true, asked: 'GET /', http_status: 200, ms: 1, error: null }),
  check: async ({ url }) => ({ url, well: true, speaks: [], findings: [], problem: null }),
  discover: async ({ url }) => ({
    found: false,
    card_url: null,
    entry: { name: 'a', url, description: null, protocol: 'simple-a2a' },
    skills: [],
    card: null,
  }),
};

function revealing(cipher: Cipher): FaceParts['agents']['reveal'] {
  const open = (value: Json) =>
    mapSealed(value, (sealed) => JSON.parse(cipher.open(sealed)) as Json) as JsonObject;
  return ({ auth_config, protocol_config, ...entry }) => ({
    ...entry,
    auth_config: { ...open(auth_config), type: auth_config.type },
    protocol_config: open(protocol_config),
  });
}

/** The whole of the server but its sockets: a real engine on a real file, called as dispatch is called. */
export async function openHouse(given: Partial<FaceParts> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-server-'));
  const log: LogLine[] = [];
  const logger = keepingLogger(log);
  const random = systemRandom();
  const cipher = createCipher(() => [Buffer.alloc(32, 7)]);
  const store = await openSqliteStore({ path: join(folder, 'store.db'), clock: systemClock, logger });
  const protocols = createProtocols();
  protocols.register(parseProtocol(testProtocol));
  const holding: ((value: Json) => void)[] = [];
  const clock = systemClock;
  const timers = systemTimers;
  const stats = new CallStats({ name: 'test', clock, timers, logger, documents: noDocuments });
  const router = new Pools({
    clock,
    timers,
    logger,
    observe: (call) => stats.count(call, { ...call, cost: null }),
  });
  router.connect(functionProvider({ id: 'test-1', protocol: 'test/v1', methods: functions(holding) }));
  const engine = new Engine({
    store,
    schemas: protocols,
    router,
    dispatch: localDispatch,
    cipher,
    clock: systemClock,
    timers: systemTimers,
    random,
    logger,
    hash: hashText,
    options: defaultOptions,
  });
  await engine.start();
  const documents = { reads: store.reads, put: engine.putDocument.bind(engine) };
  const isOwn = (name: string) => name === testProtocol.name;
  const stored = createStoredProtocols({ protocols, documents, timers: systemTimers, logger, isOwn });
  const definitions = createDefinitions({
    documents,
    schemas: protocols,
    cipher,
    hash: hashText,
    clock: systemClock,
  });
  const agents = createAgents({
    reads: store.reads,
    write: (write) => engine.writeAgent(write),
    cipher,
    newId: () => crypto.randomUUID(),
    own: () => [],
    check: () => {},
    timers: systemTimers,
    logger,
  });
  const faceParts: FaceParts = {
    engine,
    reads: store.reads,
    router,
    protocols: stored,
    definitions,
    agents: Object.assign(agents, unasked, { reveal: revealing(cipher) }),
    functions: () => ({}),
    stats,
    keys: () => [],
    clock: systemClock,
    timers: systemTimers,
    random,
    logger,
    system: { version: '0.0.0', store: 'sqlite', url: () => 'http://127.0.0.1:8000' },
    ...given,
  };
  const face = createFace(faceParts);
  const { dispatch } = face.routes.find((route) => route.kind === 'rpc') as RpcRoute;
  const call = async (method: string, params?: Json, options: CallOptions = {}): Promise<RpcAnswer> => {
    const {
      role = 'admin',
      socket = null,
      signal = new AbortController().signal,
      headers = {},
      aside,
    } = options;
    const connection: Connection = {
      caller: { name: 'tester', role },
      headers,
      address: '127.0.0.1',
      socket,
      ...(aside === undefined ? {} : { aside }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { text } = await dispatch.handle(body, connection, signal);
    return JSON.parse(text ?? 'null') as RpcAnswer;
  };
  const close = async () => {
    for (const answer of holding.splice(0)) answer(null);
    face.stop();
    stored.close();
    await stats.stop();
    await engine.stop(1000);
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  const ask = asking(call);
  return { face, faceParts, engine, store, folder, router, protocols, log, holding, call, ask, close };
}

export type House = Awaited<ReturnType<typeof openHouse>>;

/** The result, where there must be one. */
function asking(call: (method: string, params?: Json, options?: CallOptions) => Promise<RpcAnswer>) {
  return async (method: string, params?: Json, options?: CallOptions): Promise<JsonObject> => {
    const { result, error } = await call(method, params, options);
    if (result === undefined) throw new Error(`${method} was refused: ${JSON.stringify(error)}`);
    return result as JsonObject;
  };
}

function functions(holding: ((value: Json) => void)[]) {
  return {
    echo: (params: JsonObject) => params,
    add: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
    refuse: () => {
      throw { code: -32602, message: 'I do not want to' };
    },
    hold: () => new Promise<Json>((resolve) => holding.push(resolve)),
    sign: ({ key }: { key: string }) => ({ token: `${key}-signed` }),
  };
}
