import type { ConnectionOptions } from 'node:tls';
import type { Logger } from '../../core/ports/logger.ts';

export type RedisOptions = {
  /** `redis://host:port`, or `rediss://` over TLS; may hold user name, password and number of the database. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions;
  readonly client_id?: string;
  readonly logger: Logger;
  readonly largest_message?: number;
  readonly publish_timeout_ms?: number;
  /** After so long a silence a member is taken for dead, and what it has not acknowledged is given to others. */
  readonly session_timeout_ms?: number;
};

export type Settings = Required<
  Pick<
    RedisOptions,
    'url' | 'logger' | 'client_id' | 'largest_message' | 'publish_timeout_ms' | 'session_timeout_ms'
  >
> & {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: ConnectionOptions | undefined;
  /** For people: which server, without what is secret. */
  readonly where: string;
};

export function settingsOf(options: RedisOptions): Settings {
  const { url, logger, username, password, tls } = options;
  const { host } = new URL(url);
  return {
    ...{ url, logger, username, password, tls, where: host },
    client_id: options.client_id ?? 'gleitzeit',
    largest_message: options.largest_message ?? 1_000_000,
    publish_timeout_ms: options.publish_timeout_ms ?? 30_000,
    session_timeout_ms: options.session_timeout_ms ?? 6000,
  };
}
