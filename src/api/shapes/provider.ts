import { type ErrorCode, errorCodes } from '../../core/error-codes.ts';
import { Type } from '../../type.ts';
import { count, nullable, time, words } from './basic.ts';

const lastError = Type.Object(
  {
    at: time,
    error_code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(errorCodes) }),
    message: Type.String({ description: 'never in the words of the service: they may repeat secrets' }),
    remote_code: nullable(Type.Number()),
  },
  { title: 'LastError' },
);

const next_probe = nullable(time, {
  description: 'when a call is let through to try whether it is well again',
});

const health = Type.Object(
  {
    misses: Type.Integer({ minimum: 0, description: 'questions in a row without an answer' }),
    last_error: nullable(lastError, {
      description: 'what came of the last question, where that was an error: why it is `unhealthy`',
    }),
    next_probe: Type.String({ ...time, description: 'when it is asked next' }),
  },
  { title: 'HealthStatus' },
);

const breaker = Type.Object(
  {
    method: Type.String(),
    state: words(['closed', 'open', 'half_open'], {
      description: '`open`: it gets no calls of this method; `half_open`: a few try whether it is well again',
    }),
    next_probe,
  },
  { title: 'BreakerStatus' },
);

const state = words(['connected', 'unhealthy', 'drained', 'draining'], {
  description:
    '`unhealthy`: it does not answer when asked how it is; `drained`: it gets no calls until it is resumed; ' +
    '`draining`: it gets no new calls, finishes those it has and goes',
});

export const providerState = Type.Object({ id: Type.String(), state, in_flight: count });

export const provider = Type.Object(
  {
    id: Type.String(),
    protocol: Type.String(),
    state,
    since: time,
    in_flight: count,
    calls: count,
    errors: count,
    hedges: Type.Integer({
      minimum: 0,
      description: 'how many of the calls were made because another provider had not answered',
    }),
    last_error: nullable(lastError),
    latency: Type.Object(
      { p50_ms: nullable(Type.Number()), p95_ms: nullable(Type.Number()) },
      { description: 'of the last calls that were answered; null before the first' },
    ),
    weight: Type.Integer({ minimum: 1 }),
    tier: count,
    zone: nullable(Type.String()),
    models: nullable(Type.Array(Type.String()), { description: 'null for any' }),
    breakers: Type.Array(breaker, {
      description:
        'of the methods that have failed since it was connected, or were open when an engine ended',
    }),
    health: nullable(health, { description: 'what its health check has found out; null for one without' }),
    next_probe: nullable(time, {
      description: 'when it is tried whether it is well again: by its health check, or by a call of a method',
    }),
    lacks: Type.Array(Type.String(), {
      description:
        'methods that the service said it does not have: others are asked, where there are any, for five minutes',
    }),
    paused_until: nullable(time, { description: 'the service asked to be left alone until then' }),
    concurrency: nullable(Type.Object({ most: count, left: count }), {
      description: 'calls at once; null for no limit',
    }),
    rate: nullable(Type.Object({ per_second: Type.Number(), burst: count, left: count }), {
      description: 'calls in a while; `left`: how many could begin now, as far as this engine knows',
    }),
  },
  { title: 'Provider', description: 'as the engine that answers sees it' },
);

export const providerTest = Type.Object(
  {
    id: Type.String(),
    well: Type.Boolean({
      description:
        'it answered, be it that it does not know the method; false also where the provider could not ask it',
    }),
    asked: Type.String({
      description:
        'what it was asked: a method, `GET /path`, or what its dialect asks, such as `ping` or `card`',
    }),
    method: Type.String({ description: 'the same as `asked`' }),
    ms: Type.Number({ description: 'how long it took' }),
    error: nullable(lastError, { description: 'also of one that is well, but complained' }),
  },
  { title: 'ProviderTest' },
);
