import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import type { Json, JsonObject } from '../../../core/json.ts';
import { BUSY_MS, createActor } from '../../testing/actor.suite.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
export const actProto = `${folder}act.proto`;
export const protoFolder = folder;

type Value = { readonly [kind: string]: unknown };

/** A value of google.protobuf.Value as this server writes it by hand, without anything of ours. */
function asValue(json: Json): Value {
  if (json === null) return { nullValue: 0 };
  if (typeof json === 'number') return { numberValue: json };
  if (typeof json === 'string') return { stringValue: json };
  if (typeof json === 'boolean') return { boolValue: json };
  if (Array.isArray(json)) return { listValue: { values: json.map(asValue) } };
  const fields = Object.entries(json).map(([key, item]) => [key, asValue(item)]);
  return { structValue: { fields: Object.fromEntries(fields) } };
}

function jsonOf(value: Value | null | undefined): Json {
  const [kind, held] = Object.entries(value ?? {})[0] ?? ['nullValue', null];
  if (kind === 'nullValue') return null;
  if (kind === 'listValue') return (held as { values?: Value[] }).values?.map(jsonOf) ?? [];
  if (kind !== 'structValue') return held as Json;
  const { fields = {} } = held as { fields?: Record<string, Value> };
  return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, jsonOf(item)]));
}

type Unary = grpc.ServerUnaryCall<Record<string, unknown>, unknown>;
type Reply = grpc.sendUnaryData<unknown>;

function status(code: grpc.status, details: string, metadata = new grpc.Metadata()): grpc.ServiceError {
  return Object.assign(new Error(details), { code, details, metadata });
}

export type ServiceWishes = {
  readonly reflection?: boolean;
  readonly credentials?: grpc.ServerCredentials;
  /** Any that is free without. */
  readonly port?: number;
  /** Refuses every call that does not show this. */
  readonly authorization?: string;
  /** What its health service says of it, as a number or as a status that is not OK; none without. */
  readonly health?: { readonly status: number } | { readonly code: grpc.status };
};

/** The answer has one field, a number. */
const healthService: grpc.ServiceDefinition = {
  Check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: (bytes: Buffer) => bytes,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (said: number) => Buffer.from([8, said]),
    responseDeserialize: (bytes: Buffer) => bytes,
  },
};

/** A gRPC service that follows the directions of tests. */
export async function startService(wishes: ServiceWishes = {}) {
  const definition = await load(actProto, { keepCase: true, includeDirs: [folder], longs: Number });
  const play = createActor();
  const seen: grpc.Metadata[] = [];
  const server = new grpc.Server({
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  });
  const sessions = new Set<{ destroy(): void }>();

  async function act(call: Unary, reply: Reply): Promise<void> {
    const { value, ...request } = call.request;
    const id = String(call.metadata.get('idempotency-key')[0]);
    const params = { ...request, value: jsonOf(value as Value), characters: Number(request['characters']) };
    const headers = call.metadata.getMap() as unknown as JsonObject;
    const done = await play({ id, method: 'act', headers }, params as JsonObject);
    if (done.act === 'result') reply(null, asValue(done.value));
    else if (done.act === 'garbage') reply(null, GARBAGE);
    else if (done.act === 'cut') for (const session of sessions) session.destroy();
    else if (done.act === 'error')
      reply(status(done.how === 'final' ? grpc.status.INVALID_ARGUMENT : grpc.status.INTERNAL, done.message));
    else if (done.act === 'busy') {
      const metadata = new grpc.Metadata();
      metadata.set('grpc-retry-pushback-ms', String(BUSY_MS));
      reply(status(grpc.status.RESOURCE_EXHAUSTED, 'too much', metadata));
    }
  }

  function countUp(call: grpc.ServerWritableStream<Record<string, unknown>, unknown>): void {
    const { up_to, characters, end } = call.request;
    for (let number = 1; number <= Number(up_to); number++)
      call.write({ number, text: 'x'.repeat(Number(characters)) });
    if (end === 'fail') call.emit('error', status(grpc.status.UNAVAILABLE, 'gone in the middle'));
    else if (end !== 'hang') call.end();
  }

  function guarded(call: Unary, reply: Reply, go: () => void): void {
    seen.push(call.metadata);
    const { authorization } = wishes;
    if (authorization === undefined || call.metadata.get('authorization')[0] === authorization) go();
    else
      reply(status(grpc.status.UNAUTHENTICATED, `who is ${String(call.metadata.get('authorization')[0])}?`));
  }

  const service = definition['act.v1.Act'] as grpc.ServiceDefinition;
  server.addService(withGarbage(service), {
    Act: (call: Unary, reply: Reply) => guarded(call, reply, () => void act(call, reply)),
    Same: (call: Unary, reply: Reply) => guarded(call, reply, () => reply(null, call.request)),
    CountUp: countUp,
    Gather: () => {},
  });
  const { health } = wishes;
  if (health !== undefined)
    server.addService(healthService, {
      Check: (_: Unary, reply: Reply) =>
        'code' in health ? reply(status(health.code, 'no')) : reply(null, health.status),
    });
  if (wishes.reflection !== false) new ReflectionService(definition).addToServer(server);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      `127.0.0.1:${wishes.port ?? 0}`,
      wishes.credentials ?? grpc.ServerCredentials.createInsecure(),
      (error, bound) => (error === null ? resolve(bound) : reject(error)),
    ),
  );
  keepSessions(server, sessions);
  return { url: `grpc://127.0.0.1:${port}`, port, seen, stop: async () => server.forceShutdown() };
}

const GARBAGE = Symbol('garbage');

/** The one answer that is no message at all. */
function withGarbage(service: grpc.ServiceDefinition): grpc.ServiceDefinition {
  const method = service['Act'];
  if (method === undefined) throw new Error('there is no Act');
  const responseSerialize = (value: unknown) =>
    value === GARBAGE ? Buffer.from('<html>not here</html>') : method.responseSerialize(value);
  return { ...service, Act: { ...method, responseSerialize } };
}

/** The driver has no way to break a connection: its sessions are taken from the servers it listens with. */
function keepSessions(server: grpc.Server, sessions: Set<{ destroy(): void }>): void {
  const http2Servers = Reflect.get(server, 'http2Servers') as Map<NodeJS.EventEmitter, unknown>;
  for (const listening of http2Servers.keys())
    listening.on('session', (session: { destroy(): void; on(event: 'close', call: () => void): void }) => {
      sessions.add(session);
      session.on('close', () => sessions.delete(session));
    });
}
