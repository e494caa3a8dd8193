import type { ConnectionOptions } from 'node:tls';
import type { Logger } from '../../core/ports/logger.ts';

export type RabbitOptions = {
  /** `amqp://host:port/vhost`, or `amqps://` over TLS; may hold user name and password. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions;
  readonly client_id?: string;
  readonly logger: Logger;
  readonly largest_message?: number;
  readonly publish_timeout_ms?: number;
  /** After so long a silence a connection is taken for dead. One that is cut is known at once. */
  readonly session_timeout_ms?: number;
};

export type Settings = Required<
  Pick<RabbitOptions, 'url' | 'logger' | 'client_id' | 'largest_message' | 'publish_timeout_ms'>
> & {
  readonly heartbeat_s: number;
  readonly tls: ConnectionOptions | undefined;
  /** For people: which server, without what is secret. */
  readonly where: string;
};

export function settingsOf(options: RabbitOptions): Settings {
  const { logger, tls } = options;
  const url = new URL(options.url);
  if (options.username !== undefined) url.username = encodeURIComponent(options.username);
  if (options.password !== undefined) url.password = encodeURIComponent(options.password);
  return {
    ...{ url: url.href, logger, tls, where: url.host },
    client_id: options.client_id ?? 'gleitzeit',
    largest_message: options.largest_message ?? 1_000_000,
    publish_timeout_ms: options.publish_timeout_ms ?? 30_000,
    // The server waits for two of them.
    heartbeat_s: Math.max(1, Math.round((options.session_timeout_ms ?? 6000) / 2000)),
  };
}
