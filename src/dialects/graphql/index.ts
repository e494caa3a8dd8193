import { child } from '../../core/json-pointer.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { checkConfig } from '../check-config.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { openMapped } from '../rest/open.ts';
import { GraphqlConfig } from './config.ts';
import { operationFor } from './provider.ts';

export const graphqlTypes: readonly ProviderType[] = [
  {
    type: 'graphql',
    summary: 'A GraphQL API, by a query or mutation for each method',
    files_only: false,
    schema: GraphqlConfig,
    open: openGraphql,
  },
];

function openGraphql(spec: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(GraphqlConfig, spec.config, '/config');
  return openMapped(spec, parts, {
    config,
    compile: (name, compiling) => {
      const method = config.methods[name];
      if (method === undefined) return null;
      return operationFor(method, child('/config/methods', name), { ...compiling, config });
    },
  });
}
