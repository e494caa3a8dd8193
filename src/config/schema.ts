import type { Static } from 'typebox';
import { roles } from '../api/roles.ts';
import type { Functions } from '../core/function-call.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { Type } from '../type.ts';
import { agentsSchema } from './agents.ts';
import { bridgeSchema } from './bridge.ts';
import { cacheSchema } from './cache.ts';
import { dispatchSchema } from './dispatch.ts';
import { functionsSchema } from './functions.ts';
import { limitsSchema } from './limits.ts';
import { type ProtocolPool, type ProviderPool, protocolPoolKeys, providerPoolKeys } from './pool.ts';
import { count, duration, item, path, section, text, texts } from './words.ts';
import { zoneSchema } from './zone.ts';

const server = section('Where the API listens.', {
  host: text('address to listen on; one beyond loopback needs `keys`', { default: '127.0.0.1' }),
  port: count('port to listen on; 0 takes a free one', 8000, [0, 65535]),
  tls: Type.Optional(
    item('listen with TLS', {
      cert: path('certificate with its chain, PEM'),
      key: path('its private key, PEM'),
      client_ca: Type.Optional(
        path('certificates of an authority, PEM; whoever connects must show a certificate of it'),
      ),
    }),
  ),
  public_url: Type.Optional(
    text('where others reach this server, so that services can call back; needs a key for secrets', {
      pattern: '^https?://[^/?#\\s]+(?:/[^?#\\s]*)?$',
      'x-expected': 'an address such as https://gleitzeit.example.org',
    }),
  ),
  allowed_hosts: texts('names besides loopback under which the server may be asked'),
  allowed_origins: texts('origins besides its own from which browsers may ask', {
    pattern: '^(?:\\*|https?://[^/]+)$',
    'x-expected': 'an origin such as https://example.org',
  }),
  keys: Type.Array(
    item('a key that callers may use', {
      name: text('who it belongs to', {
        pattern: '^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$',
        'x-expected': 'up to 64 letters, digits, dots and hyphens',
      }),
      role: Type.Enum([...roles], {
        description:
          'what it allows; each role may do what those before it may, but `bridge`, which looks and is shown the secrets of agents',
      }),
      hash: Type.String({
        pattern: '^[0-9a-f]{64}$',
        'x-expected': 'the SHA-256 of the key in hex, never the key itself',
        description: 'SHA-256 of the key, as `gleitzeit token create` prints it',
      }),
    }),
    { description: 'keys for callers; required beyond loopback', default: [] },
  ),
  limits: limitsSchema,
});

const store = Type.Union(
  [
    item('one file on this machine', {
      type: Type.Literal('sqlite', {
        default: 'sqlite',
        description: 'a file on this machine, or a server that several engines share',
      }),
      path: path('the file', { default: '.gleitzeit/store.db' }),
    }),
    item('a server that several engines share', {
      type: Type.Literal('postgres', { default: 'postgres' }),
      url: text('where the server is', {
        pattern: '^postgres(?:ql)?://',
        'x-expected': 'an address that begins with postgres://',
      }),
      schema: text('where its tables live in the database', {
        default: 'gleitzeit',
        pattern: '^[a-z_][a-z0-9_]{0,62}$',
        'x-expected': 'small letters, digits and _, at most 63, not a digit first',
      }),
    }),
  ],
  { description: 'Where everything is kept.', default: { type: 'sqlite' } },
);

const provider = item('a service that implements the protocol', {
  id: Type.Optional(
    text('its name; `<type>-<n>` unless given', {
      pattern: '^[A-Za-z0-9][\\w.-]{0,127}$',
      'x-expected': 'up to 128 letters, digits, dots, _ and -, a letter or digit first',
    }),
  ),
  type: text('what kind of service it is'),
  config: Type.Unsafe<unknown>({ type: 'object', description: 'what this kind has to be told', default: {} }),
  ...providerPoolKeys,
});

const definition = {
  title: Type.Optional(Type.String({ description: 'a name for people' })),
  version: Type.Optional(text('the part of the name after its last `/`, unless given')),
  description: Type.Optional(Type.String({ description: 'what it is for' })),
  extends: Type.Optional(text('a protocol whose methods it has too')),
  methods: Type.Optional(
    Type.Unsafe<unknown>({ description: 'method name → `description`, `params`, `returns`, `examples`' }),
  ),
  ...protocolPoolKeys,
  providers: Type.Array(provider, { description: 'the services that implement it', default: [] }),
};

const listed = item('a protocol', {
  name: Type.Optional(text('what tasks call it by: `web-search/v1`')),
  ...definition,
  protocol: Type.Optional(
    Type.Unsafe<unknown>({
      type: 'object',
      description: 'the definition, where it is kept apart from the providers',
    }),
  ),
});

const mapped = item('a protocol, under its name', {
  name: Type.Optional(Type.String({ description: 'a name for people' })),
  ...definition,
});

const protocols = Type.Union([Type.Array(listed), Type.Record(Type.String(), mapped)], {
  description: 'What tasks can call, and who answers. A list, or a mapping from names.',
  default: [],
});

const secrets = Type.Record(
  Type.String({ pattern: '^[A-Za-z_][\\w-]*$' }),
  Type.Union([
    item('from a variable', { env: text('name of the variable') }),
    item('from a file', { file: path('a file that nobody but its owner may read') }),
    Type.String(),
  ]),
  {
    additionalProperties: false,
    default: {},
    description:
      'Values to be used as `${secrets.name}`, and shown nowhere. From a variable or a file, never written here.',
  },
);

export const configSchema = Type.Object(
  {
    server,
    store,
    protocols,
    secrets,
    workflows: Type.Array(path('a file or folder', { pattern: '[^\\0]+' }), {
      description:
        'Workflow definitions to load: files, or folders of them. `serve` defines them when it starts, `dev` whenever they change.',
      default: [],
      uniqueItems: true,
    }),
    provider_types: Type.Array(path('a file', { pattern: '[^\\0]+' }), {
      description:
        'Files that describe types of providers of your own, to be used like those that are built in: `types/weather.yaml`, or `types/*.yaml` for all of a folder.',
      default: [],
      uniqueItems: true,
    }),
    functions: functionsSchema,
    agents: agentsSchema,
    network: section('Which addresses may be called besides those that stand in this file.', {
      allow: texts(
        'networks and names that may be called though they are not public, where a caller, an answer or a redirect names them: `10.1.0.0/16`, `files.example.org`, `*.example.org`',
        {
          pattern: '^(?:\\*\\.)?[^\\s*/@?#]+(?:/\\d{1,3})?$',
          'x-expected': 'a network such as 10.1.0.0/16, an address, or a name',
        },
      ),
    }),
    engine: section('What moves tasks.', {
      concurrency: count('calls that run at the same time', 256, [1, 100_000]),
      lease_ttl: duration(
        'how long others wait before they take over from an engine that says nothing',
        '3s',
        [0.1, 3600],
      ),
      stop_timeout: duration(
        'how long calls may go on after the engine was told to stop',
        '30s',
        [0, 86_400],
      ),
    }),
    cache: cacheSchema,
    dispatch: dispatchSchema,
    bridge: bridgeSchema,
    zone: zoneSchema,
    retention: section('How long finished runs are kept.', {
      days: Type.Number({ description: 'days', default: 30, minimum: 0, maximum: 36_500 }),
    }),
    logging: section('What is logged, to standard error.', {
      level: Type.Enum(['debug', 'info', 'warn', 'error', 'silent'], {
        description: 'from which level on',
        default: 'info',
      }),
      format: Type.Enum(['json', 'text'], {
        description: 'one JSON object a line, or lines for people',
        default: 'json',
      }),
    }),
    telemetry: section('What others may measure.', {
      metrics: Type.Boolean({ description: 'serve metrics for Prometheus at `/metrics`', default: true }),
      otlp_endpoint: Type.Optional(
        text('collector that spans are sent to; none without it', {
          format: 'uri',
          pattern: '^https?://',
          'x-expected': 'an address that begins with http:// or https://',
        }),
      ),
      otlp_headers: Type.Record(Type.String(), Type.String(), { description: 'sent with them', default: {} }),
      sample_ratio: Type.Number({
        description: 'share of the traces begun here that is recorded',
        default: 1,
        minimum: 0,
        maximum: 1,
      }),
      service_name: text('what the spans call this program', { default: 'gleitzeit' }),
    }),
  },
  { additionalProperties: false },
);

/** The same as plain JSON Schema, for the checker. */
export const schema = configSchema as unknown as JsonSchema;

type Frozen<Value> = { readonly [Key in keyof Value]: Frozen<Value[Key]> };

/** A protocol as it is written. In a mapping `name` is for people, and the key what tasks call it by. */
export type WrittenProtocol = ProtocolPool & {
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly extends?: string;
  readonly methods?: Json;
  readonly protocol?: Json;
  readonly providers: readonly WrittenProvider[];
};

export type WrittenProvider = ProviderPool & {
  readonly id?: string;
  readonly type: string;
  readonly config: JsonObject;
};

type Sections = Omit<Static<typeof configSchema>, 'protocols' | 'secrets' | 'functions' | 'agents'>;

/** The configuration as the schema leaves it: complete, but with protocols as they were written. */
export type CheckedConfig = Frozen<Sections> & {
  readonly functions: Functions;
  readonly agents: readonly Json[];
  readonly protocols: readonly WrittenProtocol[] | Readonly<Record<string, WrittenProtocol>>;
};
