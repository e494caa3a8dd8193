import { redact } from '../../core/secrets.ts';
import type { AuthConfig } from '../auth/config.ts';
import { openCredentials } from '../auth/credentials.ts';
import { type Filled, filled } from '../filled.ts';
import type { ProviderParts, TlsFiles } from '../provider-type.ts';
import type { Ears } from './carrier.ts';
import type { Carriers } from './connection.ts';
import { HttpCarrier } from './http.ts';
import { withLogin } from './oauth/fetch.ts';
import { type OAuthConfig, openLogin } from './oauth/open.ts';
import { SseCarrier } from './sse.ts';
import type { SseFetch } from './sse-line.ts';

export type HttpConfig = {
  readonly url: string;
  readonly transport?: 'auto' | 'streamable' | 'sse';
  readonly auth?: AuthConfig;
  readonly oauth?: OAuthConfig & Readonly<Record<string, string>>;
  readonly tls?: TlsFiles;
  readonly connections?: number;
};

const CONNECTIONS = 128;
/** A stream may be long: what is bounded is each message. */
const MOST_BYTES = Number.MAX_SAFE_INTEGER;

/** The carriers to a server at an address, with what they are told in confidence. */
export function httpCarriers(config: HttpConfig, headers: Filled, parts: ProviderParts) {
  const { transport = 'auto', oauth } = config;
  const url = new URL(config.url);
  const told = filled(oauthSecrets(oauth ?? {}), parts.secrets, '/config/oauth');
  let shown: () => readonly string[] = () => [];
  const secrets = () => [...headers.values(), ...told.values(), ...shown(), ...(parts.hidden?.() ?? [])];

  function open(ears: Ears) {
    const credentials = openCredentials(config.auth, parts, '/config/auth');
    const web = parts.channels.web({
      url: config.url,
      tls: config.tls ?? null,
      credentials,
      connections: config.connections ?? CONNECTIONS,
    });
    const login = oauth === undefined ? null : openLogin(url, oauth, { secrets: told, web, parts });
    shown = () => [...(credentials?.values() ?? []), ...(login?.values() ?? [])];
    const plain: SseFetch = (request) =>
      web.stream({ ...request, headers: { ...headers.fill(), ...request.headers }, max_bytes: MOST_BYTES });
    return {
      ears,
      fetch: login === null ? plain : withLogin(plain, login),
      web: {
        close: () => {
          login?.close();
          return web.close();
        },
      },
      hide: (text: string) => redact(text, secrets()),
      peer: `${url.origin}${url.pathname}`,
      clock: parts.clock,
      timers: parts.timers,
    };
  }

  const streamable = (ears: Ears) => {
    const opened = open(ears);
    return new HttpCarrier({ ...opened, fetch: (request) => opened.fetch({ ...request, url }) });
  };
  const sse = (ears: Ears) => new SseCarrier({ ...open(ears), url });

  return {
    session_only: transport === 'sse',
    secrets,
    carriers: (ears: Ears): Carriers => ({
      open: () => (transport === 'sse' ? sse(ears) : streamable(ears)),
      openOld: transport === 'auto' ? () => sse(ears) : null,
    }),
  };
}

function oauthSecrets(oauth: Readonly<Record<string, string>>): Record<string, string> {
  const keys = ['client_id', 'client_secret', 'private_key', 'refresh_token'];
  return Object.fromEntries(Object.entries(oauth).filter(([key]) => keys.includes(key)));
}
