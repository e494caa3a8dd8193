import { GleitzeitError } from '../core/errors.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import type { Provider } from '../core/ports/provider.ts';
import { didYouMean } from '../core/suggest.ts';
import type { Channel } from '../rpc/channel.ts';
import type { Programs } from '../rpc/program/program.ts';
import { a2aTypes } from './a2a/index.ts';
import { containerTypes } from './container/index.ts';
import { graphqlTypes } from './graphql/index.ts';
import { grpcTypes } from './grpc/index.ts';
import { jsonrpcTypes } from './jsonrpc/index.ts';
import { llmTypes } from './llm/index.ts';
import { mcpTypes } from './mcp/index.ts';
import { processTypes } from './process/index.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from './provider-type.ts';
import { restTypes } from './rest/index.ts';
import { simpleA2aTypes } from './simple-a2a/index.ts';
import { v3Types } from './v3/index.ts';
import { zoneTypes } from './zone/index.ts';

export type { ChannelFactories, ProviderParts, ProviderSpec, ProviderType } from './provider-type.ts';

/** Every `type` that a provider in a configuration can have. */
export const providerTypes: ReadonlyMap<string, ProviderType> = new Map(
  [
    ...jsonrpcTypes,
    ...llmTypes,
    ...mcpTypes,
    ...processTypes,
    ...v3Types,
    ...containerTypes,
    ...grpcTypes,
    ...restTypes,
    ...graphqlTypes,
    ...simpleA2aTypes,
    ...a2aTypes,
    ...zoneTypes,
  ].map((provider) => [provider.type, provider]),
);

/** The schemas of `config` by `type`, for whoever reads configurations. */
export function configSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries([...providerTypes].map(([type, { schema }]) => [type, schema as JsonSchema]));
}

/** Everything that opening it would find wrong, without opening it. */
export function checkProvider(spec: ProviderSpec, parts: Pick<ProviderParts, 'methods'>): void {
  const inert = () => unopened;
  const web = () => ({ request: uncalled, stream: uncalled, close: async () => {} });
  const channels = {
    http: inert,
    web,
    grpc: () => ({ call: uncalled, check: uncalled, close: async () => {} }),
    websocket: inert,
    stdio: inert,
    post: () => uncalled,
    programs: () => unstarted,
    zone: () => ({ ask: uncalled, close: async () => {} }),
  };
  const clock = { wall: () => 0, monotonic: () => 0 };
  const timers = { after: () => () => {}, soon: () => {} };
  createProvider(spec, { ...parts, channels, timers, clock, secrets: () => '' });
}

const uncalled = () =>
  Promise.reject(new GleitzeitError('GLZ9001', 'a provider that was only checked was called'));

const unstarted: Programs = { run: uncalled, packaged: (path) => path, find: uncalled };

const unopened: Channel = {
  call: uncalled,
  notify: async () => {},
  close: async () => {},
};

/** Opens what a configuration describes. Nothing is called yet: a service that is away is not noticed here. */
export function createProvider(spec: ProviderSpec, parts: ProviderParts): Provider {
  const found = providerTypes.get(spec.type);
  if (found !== undefined) return found.open(spec, parts);
  const reason = `there is no provider type ${JSON.stringify(spec.type)}`;
  throw new GleitzeitError('GLZ1012', reason, {
    field: '/type',
    reason,
    hint: didYouMean(spec.type, [...providerTypes.keys()], 'known types'),
  });
}
