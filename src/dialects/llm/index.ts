import type { Provider } from '../../core/ports/provider.ts';
import { checkReached } from '../auth/config.ts';
import { openCredentials } from '../auth/credentials.ts';
import { checkConfig } from '../check-config.ts';
import { filled } from '../filled.ts';
import { httpProbe } from '../http-probe.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { limitOf } from '../timeout.ts';
import { type Api, LlmConfig } from './config.ts';
import { addressBelow, llmProvider } from './provider.ts';
import type { Wire } from './wire.ts';
import { anthropicWire } from './wires/anthropic.ts';
import { cohereWire } from './wires/cohere.ts';
import { googleWire } from './wires/google.ts';
import { ollamaWire } from './wires/ollama.ts';
import { openaiWire } from './wires/openai.ts';

const CONNECTIONS = 128;

export const llmTypes: readonly ProviderType[] = [
  {
    type: 'llm',
    summary: 'a language model behind the API of OpenAI, Anthropic, Ollama, Cohere or Google, or one like it',
    files_only: false,
    schema: LlmConfig,
    open: openLlm,
  },
];

const wires: Readonly<Record<Exclude<Api, 'openai'>, Wire>> = {
  anthropic: anthropicWire,
  ollama: ollamaWire,
  cohere: cohereWire,
  google: googleWire,
};

function wireOf({ api, url, max_tokens_as }: LlmConfig): Wire {
  if (api !== 'openai') return wires[api];
  const vendors = url === undefined || new URL(url).hostname === 'api.openai.com';
  return openaiWire(max_tokens_as ?? (vendors ? 'max_completion_tokens' : 'max_tokens'));
}

function openLlm(spec: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(LlmConfig, spec.config, '/config');
  const wire = wireOf(config);
  const url = config.url ?? wire.url;
  checkReached({ ...config, url }, '/config');
  const headers = filled(config.headers ?? {}, parts.secrets, '/config/headers');
  const credentials = openCredentials(config.auth, parts, '/config/auth');
  const timeout = limitOf(config.timeout, parts.timers, '/config/timeout');
  const secrets = () => [...headers.values(), ...(credentials?.values() ?? []), ...(parts.hidden?.() ?? [])];
  return llmProvider({
    id: spec.id,
    protocol: spec.protocol,
    wire,
    url: new URL(url),
    headers: headers.fill,
    defaults: {
      model: config.default_model ?? spec.models?.[0] ?? null,
      max_tokens: config.max_tokens ?? null,
    },
    options: config.options ?? {},
    stream: config.stream ?? true,
    timeout,
    secrets,
    clock: parts.clock,
    probe: httpProbe({
      ...{ web: parts.channels.web, url: addressBelow(new URL(url), wire.models), tls: config.tls ?? null },
      ...{ credentials, headers: () => ({ ...wire.headers, ...headers.fill() }), secrets },
    }),
    web: parts.channels.web({
      url,
      tls: config.tls ?? null,
      credentials,
      connections: config.connections ?? CONNECTIONS,
    }),
  });
}
