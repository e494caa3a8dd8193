import type { JsonObject } from '../../src/core/json.ts';
import type { Provider } from '../../src/core/ports/provider.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { mcpTypes } from '../../src/dialects/mcp/index.ts';
import type { ProviderParts } from '../../src/dialects/provider-type.ts';
import { webClient } from '../../src/rpc/http/client.ts';
import { addressGuard } from '../../src/rpc/network/guard.ts';

export type Told = { readonly scenario: string; readonly context: JsonObject };

/** A provider as a configuration would open it for the server of a scenario. */
export function openConformant(url: string, { scenario, context }: Told): Provider {
  const type = mcpTypes.find((one) => one.type === 'mcp-http');
  if (type === undefined) throw new Error('there is no type mcp-http');
  const asks = scenario === 'elicitation-sep1034-client-defaults' || scenario.startsWith('sep-2322');
  const config = {
    url,
    ...(asks ? { elicitation: 'defaults' } : {}),
    ...(scenario.startsWith('auth/') ? { oauth: oauthFor(scenario, context) } : {}),
  };
  const parts = { ...partsFor(context), methods: [] };
  return type.open({ id: 'server', protocol: 'mcp/v1', type: type.type, config }, parts);
}

/** What a configuration would say; the suite gives the secrets. */
function oauthFor(scenario: string, context: JsonObject): object {
  const { client_id, client_secret, private_key_pem, issuer } = context;
  const machine = scenario.startsWith('auth/client-credentials');
  return {
    grant: machine ? 'client_credentials' : 'authorization_code',
    // Where issuers take documents about clients, this is the one the suite expects.
    ...(scenario === 'auth/basic-cimd'
      ? { client_metadata_url: 'https://conformance-test.local/client-metadata.json' }
      : {}),
    ...(typeof client_id === 'string' ? { client_id } : {}),
    ...(typeof client_secret === 'string' ? { client_secret: '${secrets.client_secret}' } : {}),
    ...(typeof private_key_pem === 'string' ? { private_key: '${secrets.private_key_pem}' } : {}),
    ...(typeof issuer === 'string' ? { issuer } : {}),
    redirect_uri: 'http://localhost:3000/callback',
  };
}

function partsFor(context: JsonObject): ProviderParts {
  const guard = addressGuard({ allow: ['localhost', '127.0.0.0/8', '::1/128'] });
  return {
    ...realParts,
    channels: { ...realParts.channels, web: ({ tls: _, ...target }) => webClient({ ...target, guard }) },
    secrets: (name) => String(context[name]),
    // A person who allows everything: the issuers of the suite ask nothing before they send him back.
    authorize: async (asked) => {
      const { headers } = await fetch(asked, { redirect: 'manual' });
      return new URL(String(headers.get('location')));
    },
  };
}
