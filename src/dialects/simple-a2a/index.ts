import type { Provider } from '../../core/ports/provider.ts';
import { agentNameOf } from '../agent/translation.ts';
import { checkReached } from '../auth/config.ts';
import { openCredentials } from '../auth/credentials.ts';
import { checkConfig } from '../check-config.ts';
import { filled } from '../filled.ts';
import { httpProbe } from '../http-probe.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { limitOf } from '../timeout.ts';
import { SimpleA2aConfig } from './config.ts';
import { simpleA2aProvider } from './provider.ts';
import { PROTOCOL } from './wire.ts';

const CONNECTIONS = 128;

export const simpleA2aTypes: readonly ProviderType[] = [
  {
    type: PROTOCOL,
    summary:
      'An agent that takes `{task_id, input}` by POST and answers with `{task_id, status, output, error}`',
    files_only: false,
    schema: SimpleA2aConfig,
    open: openSimpleA2a,
  },
];

function openSimpleA2a({ id, protocol, config: given }: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(SimpleA2aConfig, given, '/config');
  checkReached(config, '/config');
  const headers = filled(config.headers ?? {}, parts.secrets, '/config/headers');
  const credentials = openCredentials(config.auth, parts, '/config/auth');
  const proofs = () => credentials?.values() ?? [];
  const secrets = () => [...headers.values(), ...proofs(), ...(parts.hidden?.() ?? [])];
  const { clock, logger, translations } = parts;
  const url = addressOf(config.url);
  return simpleA2aProvider({
    id,
    protocol,
    url,
    headers: headers.fill,
    secrets,
    proofs,
    timeout: limitOf(config.timeout, parts.timers, '/config/timeout'),
    clock,
    translation: {
      protocol: PROTOCOL,
      agent_name: agentNameOf(id, protocol),
      clock,
      logger,
      observer: translations,
      secrets,
    },
    probe: httpProbe({
      ...{ web: parts.channels.web, url: new URL(config.url), tls: config.tls ?? null },
      ...{ credentials, headers: headers.fill, secrets },
    }),
    // The last: a mistake in the rest leaves nothing behind.
    client: parts.channels.web({
      url: config.url,
      tls: config.tls ?? null,
      credentials,
      connections: config.connections ?? CONNECTIONS,
    }),
  });
}

/** A name and password in it are the client's to show. */
function addressOf(text: string): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url;
}
