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

export const provider = Type.Object(
  {
    id: Type.String(),
    protocol: Type.String(),
    state: words(['connected', 'draining'], {
      description: '`draining`: it gets no new calls and finishes those it has',
    }),
    since: time,
    in_flight: count,
    calls: count,
    errors: count,
    last_error: nullable(lastError),
    latency: Type.Object(
      { p50_ms: nullable(Type.Number()), p95_ms: nullable(Type.Number()) },
      { description: 'of the last calls that were answered; null before the first' },
    ),
  },
  { title: 'Provider', description: 'as the engine that answers sees it' },
);
