import type { Static, TSchema } from 'typebox';
import { defaultBreaker } from '../core/pool/breaker.ts';
import { usualMisses } from '../core/pool/health.ts';
import { policies } from '../core/pool/select.ts';
import { Type } from '../type.ts';
import { count, duration, item, text } from './words.ts';

const MANY = 1_000_000;

/** What a configured provider gets at once where nobody says otherwise. */
export const PROVIDER_CONCURRENCY = 128;

const rate = (scope: string) =>
  Type.Optional(
    text(`calls in a while: \`10/s\`, \`600/min\`, \`1000/h\`, from 0.001/h to 1000000/s; ${scope}`, {
      pattern: '^(?!0+(?:\\.0+)?\\s*/)\\d{1,10}(?:\\.\\d{1,10})?\\s*/\\s*(?:s|min|h)$',
      'x-expected': 'a rate such as 10/s, 600/min or 1000/h',
    }),
  );

const forAll = 'for all engines of the store together';

const burst = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MANY,
    description: 'calls that `rate` allows at once after a rest; what comes in a second unless given',
  }),
);

const concurrency = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: MANY, description }));

const keyPath = (description: string) =>
  text(description, {
    pattern: '^(?:workflow_id|params(?:\\.[^.\\s]+)+)$',
    'x-expected': 'workflow_id, or a param such as params.user',
  });

const seconds = (ms: number) => `${ms / 1000}s`;

const breaker = item('when it is left in peace; counted for each method alone', {
  failures: count('failures in a row that open it', defaultBreaker.failures, [1, MANY]),
  failure_rate: Type.Number({
    description: 'or this share of the calls in `window`',
    default: defaultBreaker.failure_rate,
    minimum: 0.01,
    maximum: 1,
  }),
  window: duration('time over which the share is taken', seconds(defaultBreaker.window_ms), [0.1, 3600]),
  least_calls: count('calls in `window` without which the share says nothing', defaultBreaker.least_calls, [
    1,
    MANY,
  ]),
  cool_down: duration(
    'how long it gets no calls; doubled each time it fails again',
    seconds(defaultBreaker.cool_down_ms),
    [0.01, 3600],
  ),
  most_cool_down: Type.Optional(
    Type.Unsafe<number>({
      ...{ type: 'number', 'x-unit': 'duration', minimum: 0.01, maximum: 86_400 },
      description: `but never longer; ${seconds(defaultBreaker.most_cool_down_ms)} unless given, or as long as \`cool_down\` where that is more`,
    }),
  ),
  probes: count('calls at once that try whether it is well again', defaultBreaker.probes, [1, 1000]),
});

const health = item('asked every so often; without an answer it gets no calls until there is one', {
  every: duration('time between two questions', '10s', [0.1, 86_400]),
  timeout: duration('how long an answer may take', '2s', [0.01, 3600]),
  failures: count(
    'answers missed in a row before it gets no calls; after a miss it is asked again sooner',
    usualMisses,
    [1, 1000],
  ),
  method: Type.Optional(
    text(
      'a method that is called, without params: the service does what it asks for; that it refuses it is an answer too. Without `method` and `path` it is asked what its type asks, which gives it no work',
    ),
  ),
  path: Type.Optional(
    text('instead of a method: what is asked for by GET at the host of the service, without credentials', {
      pattern: '^/[^\\s#]*$',
      'x-expected': 'a path such as /health',
    }),
  ),
  expect: Type.Optional(
    text('with `path`: the HTTP status of one that is well; `200-299` unless given', {
      pattern: '^[1-5]\\d\\d(?:-[1-5]\\d\\d)?$',
      'x-expected': 'a status such as 200, or 200-299',
    }),
  ),
});

const price = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: MANY, description }));

const cost = item('what its results cost, for `gleitzeit protocol stats`', {
  per_call: price('each call that is answered with a result'),
  per_1k_input_tokens: price('a thousand tokens that went in, as the service counts them'),
  per_1k_output_tokens: price('a thousand tokens that came out'),
  currency: Type.Optional(
    text('what the prices are in; `USD` unless given', {
      pattern: '^[A-Z]{3}$',
      'x-expected': 'three capital letters such as USD',
    }),
  ),
});

const hedge = item('for methods marked `idempotent`: where a provider is slow, another is asked too', {
  after: Type.Union(
    [
      Type.Unsafe<number>({ type: 'number', 'x-unit': 'duration', minimum: 0.001, maximum: 3600 }),
      Type.Literal('p95'),
    ],
    {
      description: 'time without an answer; `p95`: what nineteen of twenty calls of the method stay below',
      default: 'p95',
    },
  ),
  max: count(
    'further calls at most, each to another provider; all of them to a tenth of the calls',
    1,
    [1, 3],
  ),
});

/** Who makes the calls of a provider or an agent. */
export const via = Type.Optional(
  Type.Enum(['local', 'bridge'], {
    description:
      'who makes its calls: the engine, or bridges that take them from the broker of `dispatch`; where there is a broker, `bridge` unless given for whatever has an address',
  }),
);

/** What a provider can be given besides what its type asks for. */
export const providerPoolKeys = {
  via,
  weight: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'with twice the weight it gets twice the calls; 1 unless given',
    }),
  ),
  tier: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'providers of a higher tier are asked where none of a lower one can be; 0 unless given',
    }),
  ),
  zone: Type.Optional(text('where it stands; see `pool.zone`')),
  models: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      uniqueItems: true,
      description: 'it gets only calls whose `params.model` is one of these, or that name none',
    }),
  ),
  limits: Type.Optional(
    item('what it gets at most', {
      concurrency: count(
        'calls at once, for all engines of the store together; also without `limits`',
        PROVIDER_CONCURRENCY,
        [1, MANY],
      ),
      rate: rate(forAll),
      burst,
    }),
  ),
  breaker: Type.Optional(breaker),
  health: Type.Optional(health),
  cost: Type.Optional(cost),
};

/** How the calls of a protocol are spread and held back. */
export const protocolPoolKeys = {
  pool: Type.Optional(
    item('how calls are spread over the providers', {
      select: Type.Enum([...policies], {
        description:
          'the better of two by latency and load, each in turn, the least busy, or always the same for the same key',
        default: 'latency',
      }),
      sticky_by: Type.Optional(
        keyPath('for `sticky`: what calls have in common that go to the same provider'),
      ),
      zone: Type.Optional(text('where this server stands: providers of the same `zone` come first')),
      hedge: Type.Optional(hedge),
    }),
  ),
  limits: Type.Optional(
    item('what all of its providers get together', {
      concurrency: concurrency('calls at once, for all engines of the store together'),
      rate: rate(forAll),
      burst,
      per_key: Type.Optional(
        item('what calls with the same key get together', {
          key: keyPath(
            'where the key stands; it is shown to people, so none that a method marks `x-secret` is taken',
          ),
          concurrency: concurrency('calls at once, for all engines of the store together'),
          rate: rate('for all engines of the store together'),
          burst,
        }),
      ),
    }),
  ),
};

type Given<Keys extends Record<string, TSchema>> = {
  readonly [Key in keyof Keys]?: Static<Keys[Key]>;
};

export type ProviderPool = Given<typeof providerPoolKeys>;
export type ProtocolPool = Given<typeof protocolPoolKeys>;
