import type { LogFields, Logger } from '../core/ports/logger.ts';
import { redact } from '../core/secrets.ts';

/** What a request, or the opening of a connection, shows of who we are. */
export type Shown = {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** `name=value` as it stands in an address; empty for nothing. */
  readonly query: string;
};

/** What a service is shown so that it lets us in. Belongs to the channel that uses it, and is closed with it. */
export interface Credentials {
  /** What is to be shown now. Rejects with an error of ours where it cannot be had. */
  show(signal: AbortSignal | null): Shown | Promise<Shown>;
  /** The service did not accept them. Whether others can be had, so that it makes sense to ask once more. */
  refused(shown: Shown): boolean;
  /** Texts that must not be seen in anything that is said about a call. */
  values(): readonly string[];
  /** Ends what is under way. Safe to repeat. */
  close(): Promise<void>;
}

const UNAUTHORIZED = 401;

/** One exchange, repeated once where what was shown is not accepted and something fresh can be had. */
export async function withCredentials<Response extends { readonly status: number }>(
  credentials: Credentials,
  signal: AbortSignal | null,
  send: (shown: Shown) => Promise<Response>,
): Promise<Response> {
  const shown = await credentials.show(signal);
  const response = await send(shown);
  if (response.status !== UNAUTHORIZED || !credentials.refused(shown)) return response;
  return send(await credentials.show(signal));
}

/** The path of an address with what credentials add to its query. */
export function withQuery(path: string, { query }: Shown): string {
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** A log in which what a service repeats of its credentials is not to be read: tokens are known to nobody else. */
export function logWithout(logger: Logger, credentials: Pick<Credentials, 'values'>): Logger {
  const clean = (fields: LogFields) => {
    const secrets = credentials.values();
    const members = Object.entries(fields);
    return Object.fromEntries(
      members.map(([key, value]) => [key, typeof value === 'string' ? redact(value, secrets) : value]),
    );
  };
  return {
    debug: (message, fields = {}) => logger.debug(message, clean(fields)),
    info: (message, fields = {}) => logger.info(message, clean(fields)),
    warn: (message, fields = {}) => logger.warn(message, clean(fields)),
    error: (message, fields = {}) => logger.error(message, clean(fields)),
  };
}
