import type { Static } from 'typebox';
import { Type } from '../type.ts';
import type { SharedVariables } from './shared-variables.ts';
import { count, duration, section, size, text } from './words.ts';

/** What `gleitzeit bridge` goes by. Where the broker is stands in `dispatch`, for engines and bridges alike. */
export const bridgeSchema = section('What makes the calls that engines publish: `gleitzeit bridge`.', {
  concurrency: count('calls of one agent, or one provider, at the same time', 256, [1, 100_000]),
  most_messages: count('messages held at the same time; then no more are taken', 4096, [1, 1_000_000]),
  most_bytes: size('the same in bytes', '64MiB', [1024, 64 * 2 ** 30]),
  http_timeout: Type.Optional(
    Type.Unsafe<number>({
      type: 'number',
      'x-unit': 'duration',
      description:
        'how long a call may take that another executor asked for, where the agent has the usual `timeout`',
      minimum: 0.001,
      maximum: 86_400,
    }),
  ),
  max_retries: Type.Optional(
    Type.Integer({
      description:
        'how often such a call is made again, where the agent has the usual `retry_config.max_retries`',
      minimum: 0,
      maximum: 1000,
    }),
  ),
  registry_url: Type.Optional(
    text(
      'a server whose agents it knows, too, asked with the key in `GLEITZEIT_KEY`, which has the role `bridge`',
      {
        pattern: '^https?://[^/?#\\s]+(?:/[^?#\\s]*)?$',
        'x-expected': 'an address such as http://gleitzeit:8000',
      },
    ),
  ),
  stop_timeout: duration('how long calls may go on after it was told to stop', '30s', [0, 86_400]),
  host: text('address to serve `/health`, `/ready` and `/metrics` on', { default: '127.0.0.1' }),
  port: Type.Optional(
    Type.Integer({
      description: 'port to serve them on; none without it, 0 takes a free one',
      minimum: 0,
      maximum: 65535,
    }),
  ),
});

export type BridgeSettings = Readonly<Static<typeof bridgeSchema>>;

/** Names that bridges were told by before. */
export const bridgeVariables: SharedVariables = {
  WORKER_CONCURRENCY: { path: ['bridge', 'concurrency'] },
  HTTP_TIMEOUT_SECONDS: { path: ['bridge', 'http_timeout'] },
  MAX_RETRIES: { path: ['bridge', 'max_retries'] },
  AGENT_REGISTRY_URL: { path: ['bridge', 'registry_url'] },
  LOG_LEVEL: { path: ['logging', 'level'], words: { warning: 'warn', critical: 'error', fatal: 'error' } },
  LOG_FORMAT: { path: ['logging', 'format'], words: { console: 'text', plain: 'text' } },
};
