import { GleitzeitError } from '../../../core/errors.ts';
import { isObject } from '../../../core/json.ts';
import type { WebClient } from '../../../rpc/http/client.ts';
import type { Filled } from '../../filled.ts';
import type { ProviderParts } from '../../provider-type.ts';
import { within } from '../within.ts';
import { words } from './challenge.ts';
import { Login } from './login.ts';

export type OAuthConfig = {
  readonly grant?: 'client_credentials' | 'authorization_code';
  readonly client_metadata_url?: string;
  readonly issuer?: string;
  readonly scope?: string;
  readonly redirect_uri?: string;
};

const MAX_DOCUMENT = 256 * 1024;
const REDIRECT = 'http://127.0.0.1:8976/callback';
const DEADLINE_MS = 15_000;

/** A login whose requests go by the same client as the calls: what a server names is called only where that is allowed. */
export function openLogin(
  home: URL,
  config: OAuthConfig,
  { secrets, web, parts }: { secrets: Filled; web: WebClient; parts: ProviderParts },
): Login {
  const request = (method: string, url: URL, told: Readonly<Record<string, string>>, body: string | null) => {
    const foreign = url.origin !== home.origin;
    const headers = { accept: 'application/json', ...told };
    return within(parts.timers, { ms: DEADLINE_MS, late: 'a login was not done' }, (signal) =>
      web.request({ method, url, headers, told, body, signal, max_bytes: MAX_DOCUMENT, foreign }),
    );
  };
  return new Login({
    home,
    config: {
      grant: config.grant ?? 'client_credentials',
      redirect_uri: config.redirect_uri ?? REDIRECT,
      scope: words(config.scope),
      issuer: config.issuer ?? null,
      client_metadata_url: config.client_metadata_url ?? null,
    },
    secrets: () => secrets.fill(),
    read: async (url) => {
      const { status, body } = await request('GET', url, {}, null);
      if (status >= 500 || status === 429)
        throw new GleitzeitError('GLZ2001', `${url.origin}${url.pathname} answered HTTP ${status}`);
      return status === 200 ? objectIn(body) : null;
    },
    post: (url, headers, body) => request('POST', url, headers, body),
    authorize: parts.authorize ?? null,
    clock: parts.clock,
  });
}

function objectIn(body: Buffer) {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
