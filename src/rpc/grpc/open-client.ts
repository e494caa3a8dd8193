import { isIP, type Socket } from 'node:net';
import type { ChannelCredentials, Client } from '@grpc/grpc-js';
import type { HttpTls } from '../http/connect.ts';
import type { Driver } from './driver.ts';
import type { GrpcLimits } from './grpc.ts';

type Target = {
  readonly url: URL;
  readonly tls?: (() => HttpTls) | undefined;
  readonly limits: GrpcLimits;
  readonly keepalive_ms: number | null;
};

const PING_ANSWER_MS = 10_000;

export type OpenClient = {
  readonly client: Client;
  /** Other certificates are in force than it was opened with, and it would have to connect with these. */
  isOutdated(): boolean;
  /** Calls under way are finished. */
  close(): void;
};

export function openClient(target: Target, { grpc }: Driver): OpenClient {
  const { url, limits, keepalive_ms } = target;
  const current = () => target.tls?.();
  const certificates = current();
  const tls = url.protocol === 'grpcs:' ? (certificates ?? {}) : null;
  const port = url.port === '' ? (tls === null ? '80' : '443') : url.port;
  const sockets = new Set<Socket>();
  const credentials = noting(credentialsFor(tls, grpc), sockets);
  const client = new grpc.Client(`${url.hostname}:${port}`, credentials, {
    'grpc.max_receive_message_length': limits.max_message,
    'grpc.max_send_message_length': -1,
    // Attempts are counted by the engine, and the environment is not asked behind its back.
    // How often a service that is down is asked is for pools to decide: a call finds it back within a second.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.primary_user_agent': 'gleitzeit',
    // Each channel has connections of its own: closing one ends no calls of another.
    'grpc.use_local_subchannel_pool': 1,
    ...(keepalive_ms === null
      ? {}
      : { 'grpc.keepalive_time_ms': keepalive_ms, 'grpc.keepalive_timeout_ms': PING_ANSWER_MS }),
    ...(tls?.servername === undefined
      ? {}
      : { 'grpc.ssl_target_name_override': tls.servername, 'grpc.default_authority': tls.servername }),
  });
  const close = () => {
    client.close();
    // The driver leaves a connection open for ever whose other end has not said its first word.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  const isReady = () => client.getChannel().getConnectivityState(false) === grpc.connectivityState.READY;
  return { client, close, isOutdated: () => tls !== null && !isReady() && current() !== certificates };
}

/** Credentials that note every connection they are used for: there is no other way to get hold of these. */
function noting(credentials: ChannelCredentials, sockets: Set<Socket>): ChannelCredentials {
  const note = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const make = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (...asked) => {
    const connector = withoutAddress(make(...asked));
    return {
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
      connect: (socket) => {
        note(socket);
        return connector.connect(socket);
      },
    };
  };
  return credentials;
}

type Connector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** The driver names the host to the service whatever it is; Node refuses to name an address, and checks it all the same. */
function withoutAddress(connector: Connector): Connector {
  if (!('connectionOptions' in connector)) return connector;
  const { connectionOptions: options } = connector;
  if (typeof options === 'object' && options !== null && 'servername' in options)
    if (isIP(String(options.servername)) !== 0) delete options.servername;
  return connector;
}

function credentialsFor(tls: HttpTls | null, grpc: Driver['grpc']): ChannelCredentials {
  if (tls === null) return grpc.credentials.createInsecure();
  const bytes = (pem: unknown) => (pem === undefined ? null : Buffer.from(String(pem)));
  return grpc.credentials.createSsl(bytes(tls.ca), bytes(tls.key), bytes(tls.cert));
}
