import { type AgentSettings, agentDefaults, agentHealth } from '../core/agent.ts';
import type { Checking } from '../files/check.ts';
import { Type } from '../type.ts';
import { providerPoolKeys } from './pool.ts';
import { told } from './told.ts';
import { item, path, text, texts } from './words.ts';

const secret = (description: string) =>
  Type.String({
    pattern: '^(?:[A-Za-z][\\w-]* )?\\$\\{secrets\\.[A-Za-z_][\\w-]*\\}$',
    'x-expected': 'one of the secrets: ${secrets.name}',
    description,
  });

const line = (description: string) => text(description, { pattern: '^[^\\r\\n\\0]+$' });

const kind = <const Kind extends string>(name: Kind) =>
  Type.Literal(name, { description: 'how the agent is shown who calls' });

const auth = Type.Union(
  [
    item('nothing is shown', { type: kind('none') }),
    item('a token', { type: kind('bearer'), token: secret('for `bearer`: the token, `${secrets.name}`') }),
    item('a key', {
      type: kind('api_key'),
      header: Type.Optional(line('for `api_key`: the header it is sent in')),
      query: Type.Optional(line('for `api_key`, instead of `header`: the word in the query of the address')),
      value: secret('for `api_key`: the key, `${secrets.name}`'),
    }),
    item('a name and a password', {
      type: kind('basic'),
      username: line('for `basic`: the name'),
      password: secret('for `basic`: the password, `${secrets.name}`'),
    }),
    item('a token of an OAuth 2.0 server, by client credentials', {
      type: kind('oauth2'),
      token_url: line('for `oauth2`: where tokens are asked for'),
      client_id: line('for `oauth2`: the name of this client'),
      client_secret: secret('for `oauth2`: its secret, `${secrets.name}`'),
      scope: Type.Optional(line('for `oauth2`: what the token is to be good for')),
      audience: Type.Optional(line('for `oauth2`: whom the token is for')),
      style: Type.Optional(
        Type.Enum(['header', 'body'], { description: 'for `oauth2`: where the endpoint takes the secret' }),
      ),
    }),
    item('a certificate', {
      type: kind('mtls'),
      cert: path('for `mtls`: our certificate, PEM'),
      key: path('for `mtls`: its key, PEM', { 'x-secret': false }),
      ca: Type.Optional(path('for `mtls`: the authority to trust, PEM')),
      servername: Type.Optional(line('for `mtls`: the name the certificate of the agent is for')),
    }),
  ],
  { description: 'what the agent is shown of who calls; nothing unless given' },
);

const { retry_config: retry, circuit_breaker_config: breaker } = agentDefaults;
const number = (description: string, fallback: number, minimum = 0) =>
  Type.Optional(Type.Number({ description, default: fallback, minimum }));
const whole = (description: string, fallback: number, minimum = 0) =>
  Type.Optional(Type.Integer({ description, default: fallback, minimum }));

const { via, limits, weight, tier, zone, models } = providerPoolKeys;

const agent = item('an agent', {
  name: text('what tasks call it by: `agent: Name`', { maxLength: 255 }),
  url: text('where it is called', {
    pattern: '^(?:https?|wss?)://',
    'x-expected': 'an address that begins with http:// or https://',
  }),
  description: Type.Optional(Type.String({ description: 'what it is for' })),
  protocol: text(
    'the dialect it speaks: `simple-a2a`, `jsonrpc-2.0`, `auto`, or a type of provider that has a url',
    {
      default: agentDefaults.protocol,
    },
  ),
  protocol_config: Type.Optional(
    Type.Unsafe<unknown>({ type: 'object', description: 'what that dialect has to be told' }),
  ),
  implements: Type.Optional(
    texts('protocols whose calls it takes besides tasks that name it: `web-search/v1`'),
  ),
  auth_config: Type.Optional(auth),
  timeout: Type.Optional(
    Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'how long a call may take: milliseconds, or text with a unit',
      default: agentDefaults.timeout,
    }),
  ),
  retry_config: Type.Optional(
    item('for tasks that say nothing of retries themselves', {
      max_retries: whole('retries at most', retry.max_retries),
      initial_delay_ms: number('milliseconds before the first', retry.initial_delay_ms),
      max_delay_ms: number('milliseconds at most', retry.max_delay_ms),
      backoff_multiplier: number('how much longer each wait is', retry.backoff_multiplier, 1),
    }),
  ),
  ...{ via, limits, weight, tier, zone, models },
  health_config: Type.Optional(
    item(
      'how often it is asked how it is, which gives it no work; while it does not answer it gets no calls',
      {
        every_seconds: number('seconds between two questions', agentHealth.every_seconds, 0.1),
        timeout_seconds: number('how long an answer may take', agentHealth.timeout_seconds, 0.01),
      },
    ),
  ),
  circuit_breaker_config: Type.Optional(
    item('when the agent is left in peace', {
      enabled: Type.Optional(Type.Boolean({ description: 'whether at all', default: breaker.enabled })),
      failure_threshold: whole('failures in a row that open it', breaker.failure_threshold, 1),
      failure_rate_threshold: number('or this share of calls', breaker.failure_rate_threshold),
      timeout_seconds: number('how long it stays open', breaker.timeout_seconds),
      half_open_max_calls: whole('calls that then try at once', breaker.half_open_max_calls, 1),
      window_size_seconds: number('over how long the share is taken', breaker.window_size_seconds),
    }),
  ),
});

export const agentsSchema = Type.Array(agent, {
  description:
    'Agents that tasks can name: `agent: Name`. They win over those that are registered over the API.',
  default: [],
});

/** Reads an entry with its defaults. What it throws is told with its place. */
export type CheckAgent = (written: unknown) => AgentSettings;

export function readAgents(
  written: readonly unknown[],
  { checking, check_agent }: { readonly checking: Checking; readonly check_agent?: CheckAgent | undefined },
): AgentSettings[] {
  const agents: AgentSettings[] = [];
  for (const [index, entry] of written.entries()) {
    const agent = told(['agents', index], checking, () => check_agent?.(entry));
    if (agent === undefined) continue;
    if (agents.some(({ name }) => name === agent.name))
      checking.report({
        path: ['agents', index, 'name'],
        part: 'value',
        message: `the agent "${agent.name}" stands twice`,
        hint: 'names of agents are unique',
      });
    agents.push(agent);
  }
  return agents;
}
