import type { Provider } from '../../core/ports/provider.ts';
import type { Channel } from '../../rpc/channel.ts';
import { checkReached } from '../auth/config.ts';
import { openCredentials } from '../auth/credentials.ts';
import { checkConfig } from '../check-config.ts';
import { type Filled, filled } from '../filled.ts';
import { answerLimits, type ProviderParts, type ProviderSpec, type ProviderType } from '../provider-type.ts';
import { limitOf } from '../timeout.ts';
import {
  type CommonConfig,
  checkNames,
  HttpConfig,
  namingOf,
  StdioConfig,
  WebSocketConfig,
} from './config.ts';
import { jsonrpcProvider } from './provider.ts';

const CONNECTIONS = 128;

export const jsonrpcTypes: readonly ProviderType[] = [
  {
    type: 'jsonrpc-http',
    summary: 'JSON-RPC 2.0 by POST to an address',
    files_only: false,
    schema: HttpConfig,
    open: openHttp,
  },
  {
    type: 'jsonrpc-ws',
    summary: 'JSON-RPC 2.0 over a WebSocket',
    files_only: false,
    schema: WebSocketConfig,
    open: openWebSocket,
  },
  {
    type: 'jsonrpc-stdio',
    summary: 'JSON-RPC 2.0 over standard input and output of a program that is started here',
    files_only: true,
    schema: StdioConfig,
    open: openStdio,
  },
];

function openHttp(spec: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(HttpConfig, spec.config, '/config');
  checkReached(config, '/config');
  const headers = filled(config.headers ?? {}, parts.secrets, '/config/headers');
  const credentials = openCredentials(config.auth, parts, '/config/auth');
  return provide(spec, parts, {
    config,
    told: [headers, credentials],
    // What never changes is prepared once; the rest comes with each call.
    headers: headers.constant ? null : headers.fill,
    open: () =>
      parts.channels.http({
        url: config.url,
        headers: headers.constant ? headers.fill() : {},
        connections: config.connections ?? CONNECTIONS,
        tls: config.tls ?? null,
        hidden: () => [...headers.values(), ...(parts.hidden?.() ?? [])],
        credentials,
      }),
  });
}

function openWebSocket(spec: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(WebSocketConfig, spec.config, '/config');
  checkReached(config, '/config');
  const headers = filled(config.headers ?? {}, parts.secrets, '/config/headers');
  const credentials = openCredentials(config.auth, parts, '/config/auth');
  return provide(spec, parts, {
    config,
    told: [headers, credentials],
    open: () =>
      parts.channels.websocket({
        url: config.url,
        headers: headers.fill,
        tls: config.tls ?? null,
        credentials,
      }),
  });
}

function openStdio(spec: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(StdioConfig, spec.config, '/config');
  const [program = '', ...args] = config.command;
  const env = filled(config.env ?? {}, parts.secrets, '/config/env');
  return provide(spec, parts, {
    config,
    told: [env],
    open: () =>
      parts.channels.stdio({
        command: [program, ...args],
        cwd: config.cwd ?? null,
        env: env.fill,
        framing: config.framing ?? 'auto',
        limits: answerLimits,
      }),
  });
}

type Carried = {
  readonly config: CommonConfig;
  /** Whoever knows what the service is told in confidence. */
  readonly told: readonly (Pick<Filled, 'values'> | null)[];
  readonly headers?: (() => Readonly<Record<string, string>>) | null;
  readonly open: () => Channel;
};

/** The channel is opened last: a mistake in the rest leaves nothing behind. */
function provide({ id, protocol }: ProviderSpec, parts: ProviderParts, carried: Carried): Provider {
  const { config, told, headers } = carried;
  checkNames(config, parts.methods);
  return jsonrpcProvider({
    id,
    protocol,
    naming: namingOf(config),
    secrets: () => [...told.flatMap((one) => one?.values() ?? []), ...(parts.hidden?.() ?? [])],
    timeout: limitOf(config.timeout, parts.timers, '/config/timeout'),
    ...(headers === undefined ? {} : { headers }),
    channel: carried.open(),
  });
}
