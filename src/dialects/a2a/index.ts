import { AGENT_METHOD, AGENT_PROTOCOL } from '../../core/agent.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { redact } from '../../core/secrets.ts';
import { agentNameOf } from '../agent/translation.ts';
import { checkReached } from '../auth/config.ts';
import { openCredentials } from '../auth/credentials.ts';
import { checkConfig } from '../check-config.ts';
import { filled } from '../filled.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { limitOf, timeoutMs } from '../timeout.ts';
import { openAuto } from './auto.ts';
import { batching } from './batch.ts';
import type { Settings } from './call.ts';
import { cardProbe } from './card-probe.ts';
import { Cards, placesFor } from './cards.ts';
import { A2aConfig } from './config.ts';
import { ask, type ExchangeParts } from './exchange.ts';
import { Negotiation } from './negotiation.ts';
import { a2aProvider } from './provider.ts';
import { PROTOCOL } from './wire/model.ts';

export const a2aTypes: readonly ProviderType[] = [
  {
    type: 'a2a',
    summary:
      'an agent that speaks A2A over JSON-RPC, version 0.3 or 1.0, as its card says or as it turns out',
    files_only: false,
    schema: A2aConfig,
    open: (spec, parts) => openA2a(spec, parts).provider,
  },
  {
    type: 'auto',
    summary: 'an agent whose dialect is found out: A2A where it has a card, else simple A2A',
    files_only: false,
    schema: A2aConfig,
    open: (spec, parts) => openAuto(spec, parts, openA2a),
  },
];

const CONNECTIONS = 128;
/** From /agent to /agent/, as many frameworks send callers. */
const REDIRECTS = 3;
const POLL_MS = 1000;
const PUSH_MS = 60_000;
const BATCH_MS = 10;

function openA2a(spec: ProviderSpec, parts: ProviderParts): { provider: Provider; cards: Cards } {
  const config = checkConfig(A2aConfig, spec.config, '/config');
  checkReached(config, '/config');
  const home = addressOf(config.url);
  const headers = filled(config.headers ?? {}, parts.secrets, '/config/headers');
  const credentials = openCredentials(config.auth, parts, '/config/auth');
  const proofs = () => credentials?.values() ?? [];
  const secrets = () => [...headers.values(), ...proofs(), ...(parts.hidden?.() ?? [])];
  const settings = settingsOf(config);
  const batch = batchOf(config);
  const exchange: ExchangeParts = {
    headers: headers.fill,
    extensions: config.extensions ?? [],
    hide: (text) => redact(text, secrets()),
    clock: parts.clock,
    timers: parts.timers,
    limit: limitOf(config.timeout, parts.timers, '/config/timeout'),
    web: parts.channels.web({
      url: config.url,
      tls: config.tls ?? null,
      credentials,
      connections: config.connections ?? CONNECTIONS,
      redirects: REDIRECTS,
    }),
  };
  const at = config.card ?? 'auto';
  const cards = new Cards({ ...exchange, home, at });
  const { a2a_version = 'auto' } = config;
  const provider = a2aProvider({
    id: spec.id,
    protocol: spec.protocol,
    exchange,
    post: batch ?? ask,
    cards,
    negotiation: new Negotiation({
      cards,
      home,
      version: a2a_version === 'auto' ? null : a2a_version,
      extensions: exchange.extensions,
    }),
    settings,
    structured: (method) => spec.protocol !== AGENT_PROTOCOL || method !== AGENT_METHOD,
    secrets,
    proofs,
    probe: cardProbe(
      {
        ...{ web: parts.channels.web, url: new URL(config.url), tls: config.tls ?? null },
        ...{ credentials, headers: headers.fill, secrets },
      },
      { places: placesFor(at, new URL(config.url)), seen: (looked) => cards.seen(looked) },
    ),
    translation: {
      protocol: PROTOCOL,
      agent_name: agentNameOf(spec.id, spec.protocol),
      clock: parts.clock,
      logger: parts.logger,
      observer: parts.translations,
      secrets,
    },
  });
  return { provider, cards };
}

/** A name and password in it are the client's to show. */
function addressOf(text: string): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url;
}

/** Names that every agent has for its method, in one version or the other: they say nothing. */
const usual = ['message/send', 'SendMessage'];

function settingsOf(config: A2aConfig): Settings {
  const { method, stream, batch, blocking, push = false } = config;
  return {
    stream: batch === undefined ? (stream ?? null) : false,
    blocking,
    push,
    push_timeout_ms: durationOf(config.push_timeout, '/config/push_timeout') ?? PUSH_MS,
    poll_ms: durationOf(config.poll_interval, '/config/poll_interval') ?? POLL_MS,
    accepted_output_modes: config.accepted_output_modes,
    history_length: config.history_length,
    method: method === undefined || usual.includes(method) ? null : method,
  };
}

function batchOf({ batch }: A2aConfig): typeof ask | null {
  if (batch === undefined) return null;
  return batching({ size: batch.size, wait_ms: durationOf(batch.wait, '/config/batch/wait') ?? BATCH_MS });
}

function durationOf(value: number | string | undefined, field: string): number | null {
  return value === undefined ? null : timeoutMs(value, field);
}
