import { errorRecord, GleitzeitError } from '../core/errors.ts';
import { isObject, own } from '../core/json.ts';
import type { Probe, Probed } from '../core/ports/provider.ts';
import type { Credentials } from '../rpc/credentials.ts';
import type { ChannelFactories, TlsFiles } from './provider-type.ts';
import { withoutSecrets } from './without-secrets.ts';

export type HttpProbeParts = {
  readonly web: ChannelFactories['web'];
  readonly url: URL;
  readonly tls: TlsFiles | null;
  /** Those that calls are made with, and not closed here. */
  readonly credentials: Credentials | null;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly secrets: () => readonly string[];
};

/** Nothing of it is read. */
const MAX_BYTES = Number.MAX_SAFE_INTEGER;

/**
 * Asks for a page as calls are made, with what they show of us, and takes any answer for a sign of life. It has a connection
 * of its own: calls that take all of those there are do not make the service look dead. Redirects are not followed.
 */
export function httpProbe(parts: HttpProbeParts): Probe {
  const { url, headers, secrets } = parts;
  return {
    asked: `GET ${url.pathname}`,
    ask: async (signal) => {
      try {
        const sent = { accept: '*/*', ...headers() };
        return await withOwnClient(parts, async (web) => {
          const answer = await web.stream({
            ...{ method: 'GET', url, headers: sent, body: null, signal, max_bytes: MAX_BYTES },
          });
          answer.cancel();
          return byStatus(answer.status, url);
        });
      } catch (thrown) {
        const error = GleitzeitError.from(thrown, 'GLZ2002');
        const led = leadsElsewhere(error);
        return { well: led, error: led ? null : withoutSecrets(error.toRecord(), secrets()) };
      }
    },
  };
}

type Web = ReturnType<ChannelFactories['web']>;

/** For questions that are rare: nothing is left open. */
export async function withOwnClient<Found>(
  { web, url, tls, credentials }: Pick<HttpProbeParts, 'web' | 'url' | 'tls' | 'credentials'>,
  work: (web: Web) => Promise<Found>,
): Promise<Found> {
  const client = web({ url: url.href, tls, credentials: lent(credentials), connections: 1 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Who is told 401 has found somebody, who does not want to be called like this. */
const refusals: readonly number[] = [401, 403, 407];
/** Who knows no GET says so with this. */
const NOT_IMPLEMENTED = 501;

export function byStatus(status: number, url: URL): Probed {
  const ill = status >= 500 && status !== NOT_IMPLEMENTED;
  if (!ill && !refusals.includes(status)) return { well: true, error: null };
  const message = `${url.origin}${url.pathname} answered HTTP ${status}`;
  const details = { details: { http_status: status } };
  return { well: !ill, error: errorRecord(ill ? 'GLZ2001' : 'GLZ2010', message, details) };
}

function leadsElsewhere({ details: { details } }: GleitzeitError): boolean {
  const status = isObject(details) ? own(details, 'http_status') : undefined;
  return typeof status === 'number' && status >= 300 && status < 400;
}

/** Whoever they are lent to closes what it has opened, and not them. */
function lent(credentials: Credentials | null): Credentials | null {
  if (credentials === null) return null;
  return {
    show: (signal) => credentials.show(signal),
    refused: (shown) => credentials.refused(shown),
    values: () => credentials.values(),
    close: async () => {},
  };
}
