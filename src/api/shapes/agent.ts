import { agentDefaults, agentHealth, authTypes } from '../../core/agent.ts';
import type { JsonObject } from '../../core/json.ts';
import { Type } from '../../type.ts';
import { anyObject, name, nullable, time, words } from './basic.ts';

const { retry_config: retry, circuit_breaker_config: breaker } = agentDefaults;

export const agentName = Type.String({ minLength: 1, maxLength: 255, description: 'of the agent' });

const dialect = Type.String({
  description:
    'the dialect it speaks: `simple-a2a`, `jsonrpc-2.0` (A2A), `auto`, or a type of provider that has a url',
  default: agentDefaults.protocol,
});

const timeout = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  description: 'how long a call may take: milliseconds, or text with a unit',
  default: agentDefaults.timeout,
});

const retryConfig = Type.Object(
  {
    max_retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 999, default: retry.max_retries })),
    initial_delay_ms: Type.Optional(Type.Number({ minimum: 0, default: retry.initial_delay_ms })),
    max_delay_ms: Type.Optional(Type.Number({ minimum: 0, default: retry.max_delay_ms })),
    backoff_multiplier: Type.Optional(Type.Number({ minimum: 1, default: retry.backoff_multiplier })),
  },
  { title: 'AgentRetry', description: 'for tasks that say nothing of retries themselves' },
);

const breakerConfig = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ default: breaker.enabled })),
    failure_threshold: Type.Optional(
      Type.Integer({ minimum: 1, default: breaker.failure_threshold, description: 'failures in a row' }),
    ),
    failure_rate_threshold: Type.Optional(
      Type.Number({ minimum: 0.01, maximum: 1, default: breaker.failure_rate_threshold }),
    ),
    timeout_seconds: Type.Optional(
      Type.Number({ default: breaker.timeout_seconds, description: 'how long it is left in peace' }),
    ),
    half_open_max_calls: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: breaker.half_open_max_calls,
        description: 'that then try at once',
      }),
    ),
    window_size_seconds: Type.Optional(Type.Number({ default: breaker.window_size_seconds })),
  },
  { title: 'AgentBreaker', description: 'when the agent is left in peace' },
);

const healthConfig = Type.Object(
  {
    every_seconds: Type.Optional(
      Type.Number({
        minimum: 0.1,
        default: agentHealth.every_seconds,
        description: 'between two questions',
      }),
    ),
    timeout_seconds: Type.Optional(
      Type.Number({
        minimum: 0.01,
        default: agentHealth.timeout_seconds,
        description: 'how long an answer may take',
      }),
    ),
  },
  {
    title: 'AgentHealth',
    description:
      'How often it is asked how it is, which gives it no work; while it does not answer it gets no calls. Left out, nobody asks',
  },
);

const limits = Type.Object(
  {
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, description: 'calls at once; 128 unless given, also without `limits`' }),
    ),
    rate: Type.Optional(Type.String({ description: 'calls in a while: `10/s`, `600/min`, `1000/h`' })),
    burst: Type.Optional(
      Type.Integer({ minimum: 1, description: 'calls that `rate` allows at once after a rest' }),
    ),
  },
  {
    title: 'AgentLimits',
    description:
      'What it gets at most, whichever protocol its calls are of, from all engines of the store together',
  },
);

const weight = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: 'for what it implements: with twice the weight it gets twice the calls',
});
const tier = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'for what it implements: a higher tier is asked where none of a lower one can be',
});
const zone = Type.String({ description: 'for what it implements: where it stands' });
const models = Type.Array(Type.String(), {
  description: 'it gets only calls whose `params.model` is one of these, or that name none',
});

const said = (description: string) => Type.Optional(Type.String({ description }));

const auth = Type.Object(
  {
    type: words(authTypes, { description: 'how the agent is shown who calls' }),
    token: said('for `bearer`'),
    header: said('for `api_key`: the header it is sent in'),
    query: said('for `api_key`, instead of `header`: the word in the query of the address'),
    value: said('for `api_key`: the key'),
    username: said('for `basic`'),
    password: said('for `basic`'),
    token_url: said('for `oauth2`: where tokens are asked for, by client credentials'),
    client_id: said('for `oauth2`'),
    client_secret: said('for `oauth2`'),
    scope: said('for `oauth2`: what the token is to be good for'),
    audience: said('for `oauth2`: whom the token is for'),
    style: said('for `oauth2`: `header` or `body`, where the endpoint takes the secret'),
    cert: said('for `mtls`: our certificate, PEM'),
    key: said('for `mtls`: its key, PEM'),
    ca: said('for `mtls`: the authority to trust, PEM'),
    servername: said('for `mtls`: the name the certificate of the agent is for'),
  },
  {
    title: 'AgentAuth',
    description:
      'What the agent is shown of who calls. Secrets are sealed before they are stored, and shown as `***`',
  },
);

const implemented = Type.Array(name('of a protocol'), {
  description: 'protocols whose calls it takes besides tasks that name it: `web-search/v1`',
});

const config = Type.Unsafe<JsonObject>({
  type: 'object',
  description: 'what the dialect has to be told; values of `headers` are secrets',
});

const via = words(['local', 'bridge'], {
  description:
    'who makes its calls: the engine, or bridges that take them from a broker; left out, as the configuration has it',
});

/** What can be said of an agent besides its name. */
export const agentFields = {
  url: Type.Optional(Type.String({ description: 'where it is called' })),
  description: Type.Optional(nullable(Type.String())),
  protocol: Type.Optional(nullable(dialect)),
  protocol_config: Type.Optional(nullable(config)),
  implements: Type.Optional(nullable(implemented)),
  auth_config: Type.Optional(nullable(auth)),
  timeout: Type.Optional(nullable(timeout)),
  retry_config: Type.Optional(nullable(retryConfig)),
  circuit_breaker_config: Type.Optional(nullable(breakerConfig)),
  health_config: Type.Optional(nullable(healthConfig)),
  via: Type.Optional(nullable(via)),
  limits: Type.Optional(nullable(limits)),
  weight: Type.Optional(nullable(weight)),
  tier: Type.Optional(nullable(tier)),
  zone: Type.Optional(nullable(zone)),
  models: Type.Optional(nullable(models)),
};

export const agent = Type.Object(
  {
    id: Type.String({ description: 'a UUID; it stays when everything else is changed' }),
    name: agentName,
    url: Type.String(),
    description: nullable(Type.String()),
    protocol: dialect,
    protocol_config: config,
    implements: implemented,
    auth_config: auth,
    timeout: Type.Number({ description: 'milliseconds' }),
    retry_config: retryConfig,
    circuit_breaker_config: breakerConfig,
    health_config: Type.Optional(healthConfig),
    via: Type.Optional(via),
    limits: Type.Optional(limits),
    weight: Type.Optional(weight),
    tier: Type.Optional(tier),
    zone: Type.Optional(zone),
    models: Type.Optional(models),
    source: words(['api', 'file'], { description: '`file`: it stands in the configuration of the server' }),
    version: Type.Integer({ minimum: 0, description: 'raised with every change; 0 for one of the file' }),
    created_at: nullable(time),
    updated_at: nullable(time),
    provider: Type.String({ description: 'the id under which it is a provider' }),
    problem: nullable(Type.String(), { description: 'why it cannot be called from here; null for nothing' }),
  },
  { title: 'Agent' },
);

export const agentPing = Type.Object(
  {
    name: agentName,
    well: Type.Boolean({ description: 'it answered, and not with a failure of its own' }),
    asked: Type.String({ description: 'what it was asked: `GET /path`' }),
    http_status: nullable(Type.Integer()),
    ms: Type.Number({ description: 'how long it took' }),
    error: nullable(Type.String()),
  },
  { title: 'AgentPing' },
);

export const discovered = Type.Object(
  {
    found: Type.Boolean({ description: 'whether there is a card; without one it may speak `simple-a2a`' }),
    card_url: nullable(Type.String(), { description: 'where the card lies' }),
    entry: Type.Object(
      {
        name: Type.String(),
        url: Type.String(),
        description: nullable(Type.String()),
        protocol: Type.String(),
      },
      { description: 'as it could be given to `agent.create`' },
    ),
    skills: Type.Array(
      Type.Object({ id: Type.String(), name: Type.String(), description: nullable(Type.String()) }),
    ),
    card: nullable(anyObject, { description: 'the card as it is' }),
  },
  { title: 'DiscoveredAgent' },
);

export const agentVersion = Type.Optional(
  Type.Integer({ minimum: 1, description: 'the version it must have; without it the newest is changed' }),
);

export const pingTimeout = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 60_000, description: 'milliseconds it may take; 5000 unless given' }),
);
