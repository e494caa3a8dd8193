import type { Provider } from '../../core/ports/provider.ts';
import { checkReached } from '../auth/config.ts';
import { openCredentials } from '../auth/credentials.ts';
import { checkConfig } from '../check-config.ts';
import { filled } from '../filled.ts';
import { answerLimits, type ProviderParts, type ProviderSpec, type ProviderType } from '../provider-type.ts';
import { limitOf } from '../timeout.ts';
import { checkGrpc, GrpcConfig, methodFor } from './config.ts';
import { grpcProvider } from './provider.ts';

const MAX_MESSAGES = 10_000;

export const grpcTypes: readonly ProviderType[] = [
  {
    type: 'grpc',
    summary: 'a gRPC service, by its .proto files or by server reflection',
    files_only: false,
    schema: GrpcConfig,
    open,
  },
];

function open({ id, protocol, config: raw }: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(GrpcConfig, raw, '/config');
  const { url, auth, tls, metadata: headers = {}, proto, include = [] } = config;
  checkGrpc(config, parts.methods);
  checkReached(
    {
      url: url.replace(/^grpc/, 'http'),
      headers,
      ...(auth === undefined ? {} : { auth }),
      ...(tls === undefined ? {} : { tls }),
    },
    '/config',
  );
  const metadata = filled(headers, parts.secrets, '/config/metadata');
  const credentials = openCredentials(auth, parts, '/config/auth');
  const timeout = limitOf(config.timeout, parts.timers, '/config/timeout');
  const keepalive = limitOf(config.keepalive, parts.timers, '/config/keepalive');
  return grpcProvider({
    id,
    protocol,
    methodFor: (method) => methodFor(method, config),
    metadata: metadata.fill,
    secrets: () => [...metadata.values(), ...(credentials?.values() ?? []), ...(parts.hidden?.() ?? [])],
    timeout,
    channel: parts.channels.grpc({
      url,
      tls: tls ?? null,
      credentials,
      protos: proto === undefined ? null : { files: proto, include },
      limits: {
        max_message: answerLimits.max_message,
        max_messages: config.max_messages ?? MAX_MESSAGES,
      },
      keepalive_ms: keepalive?.ms ?? null,
    }),
  });
}
