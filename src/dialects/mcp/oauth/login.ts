import { GleitzeitError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { HttpResponse } from '../../../rpc/http/client.ts';
import { type AccessToken, tokenFrom } from '../../auth/token-answer.ts';
import { Remembered } from '../../remembered.ts';
import { patiently } from '../patiently.ts';
import type { Challenge } from './challenge.ts';
import { type Client, proof, registered, registration } from './client.ts';
import { type Authorize, codeIn, question } from './code.ts';
import { type AuthorizationServer, type Discovered, discoverLogin, type Read, refused } from './discovery.ts';

export type LoginConfig = {
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly redirect_uri: string;
  readonly scope: readonly string[];
  /** The only one that what was configured may be shown to; null for the first that is met. */
  readonly issuer: string | null;
  readonly client_metadata_url: string | null;
};

/** Texts that are filled in when they are used. */
export type LoginSecrets = () => {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key?: string;
  readonly refresh_token?: string;
};

export type LoginParts = {
  readonly home: URL;
  readonly config: LoginConfig;
  readonly secrets: LoginSecrets;
  readonly read: Read;
  readonly post: (url: URL, headers: Readonly<Record<string, string>>, body: string) => Promise<HttpResponse>;
  readonly authorize: Authorize | null;
  readonly clock: Clock;
};

type Held = {
  readonly issuer: string;
  readonly token: string;
  readonly refresh: string | null;
  readonly ends_at: number;
  readonly scope: readonly string[];
};

const EARLY_MS = 10_000;

/** The login at one MCP server: whatever it asks for is fetched once, whoever waits for it. */
export class Login {
  readonly #parts: LoginParts;
  readonly #told = new Remembered();
  /** Never shown to another issuer than the one that made them. */
  readonly #clients = new Map<string, Client>();
  readonly #closing = new AbortController();
  #held: Held | null = null;
  #renewing: Promise<Held> | null = null;
  #bound: string | null;
  /** What was configured is used once; afterwards the one that came last. */
  #configuredRefresh = true;

  constructor(parts: LoginParts) {
    this.#parts = parts;
    this.#bound = parts.config.issuer;
  }

  /** The token to be shown, null before the server has asked for one. */
  get token(): string | null {
    const held = this.#held;
    return held !== null && this.#parts.clock.monotonic() < held.ends_at ? held.token : null;
  }

  values(): readonly string[] {
    return this.#told.values();
  }

  close(): void {
    this.#closing.abort(new GleitzeitError('GLZ2002', 'the connection it was for is closed'));
  }

  /** Another token than the one that was shown. Rejects with GLZ2010 where nothing more can be had. */
  async renew(challenge: Challenge, shown: string | null, signal: AbortSignal): Promise<string> {
    const held = this.#held;
    // Somebody else has seen to it.
    if (held !== null && this.token !== null && held.token !== shown) return held.token;
    this.#renewing ??= this.#fetch(challenge).finally(() => {
      this.#renewing = null;
    });
    return (await patiently(this.#renewing, signal)).token;
  }

  async #fetch(challenge: Challenge): Promise<Held> {
    const { home, read } = this.#parts;
    const found = await discoverLogin(home, challenge, read);
    const scope = this.#scopes(challenge, found);
    const client = await this.#client(found.server, scope);
    const asked = { found, client, scope, stepUp: challenge.error === 'insufficient_scope' };
    const access = (await this.#refreshed(asked)) ?? (await this.#granted(asked));
    this.#told.add(access.token);
    const ends_at =
      this.#parts.clock.monotonic() + Math.max(access.lifetime_ms - EARLY_MS, access.lifetime_ms / 2);
    this.#held = { issuer: found.server.issuer, scope, ends_at, ...access };
    return this.#held;
  }

  /** What was asked for before and what is missing now; at first what the server wants or knows. */
  #scopes(challenge: Challenge, { server, scopes }: Discovered): readonly string[] {
    const { config } = this.#parts;
    const before = this.#held?.issuer === server.issuer ? this.#held.scope : config.scope;
    const wanted = challenge.scope.length > 0 || before.length > 0 ? challenge.scope : scopes;
    const union = new Set([...before, ...wanted]);
    if (challenge.error === 'insufficient_scope' && this.#held !== null && union.size === before.length)
      throw refused(`the scopes of the token are not enough: ${[...union].join(' ')}`);
    const offline =
      config.grant === 'authorization_code' && server.scopes_supported.includes('offline_access');
    return [...union, ...(offline && !union.has('offline_access') ? ['offline_access'] : [])];
  }

  async #client(server: AuthorizationServer, scope: readonly string[]): Promise<Client> {
    const known = this.#clients.get(server.issuer);
    const { config, secrets } = this.#parts;
    const { client_id, client_secret = null, private_key = null } = secrets();
    if (client_id !== undefined)
      return this.#configured(server, { client_id, client_secret, private_key, method: null });
    if (known !== undefined) return known;
    const { client_metadata_url } = config;
    const made =
      server.takes_metadata_documents && client_metadata_url !== null
        ? { client_id: client_metadata_url, client_secret: null, private_key: null, method: 'none' }
        : await this.#register(server, scope);
    this.#clients.set(server.issuer, made);
    return made;
  }

  #configured(server: AuthorizationServer, client: Client): Client {
    this.#bound ??= server.issuer;
    if (this.#bound === server.issuer) return client;
    throw refused(
      `${this.#parts.home.origin} now takes tokens of ${server.issuer}, and the client is one of ${this.#bound}`,
      'configure the client that the new issuer knows',
    );
  }

  async #register(server: AuthorizationServer, scope: readonly string[]): Promise<Client> {
    const { registration_endpoint, issuer } = server;
    if (registration_endpoint === null)
      throw refused(
        `${issuer} does not register clients by itself`,
        'configure oauth.client_id and what belongs to it',
      );
    const body: JsonObject = registration(server, { ...this.#parts.config, scope });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const { status, body: said } = await this.#parts.post(
      registration_endpoint,
      headers,
      JSON.stringify(body),
    );
    if (status !== 200 && status !== 201) throw refused(`${issuer} does not register us: HTTP ${status}`);
    const client = registered(parsed(said), server);
    if (client.client_secret !== null) this.#told.add(client.client_secret);
    return client;
  }

  /** By a refresh token, where there is one of this issuer; null where it is not taken any more. */
  async #refreshed(asked: Asked): Promise<Access | null> {
    const { issuer } = asked.found.server;
    const held = this.#held?.issuer === issuer ? this.#held.refresh : null;
    const refresh = held ?? this.#refreshFor(issuer);
    if (refresh === undefined || asked.stepUp) return null;
    try {
      const access = await this.#token(asked, { grant_type: 'refresh_token', refresh_token: refresh });
      this.#configuredRefresh = false;
      return { ...access, refresh: access.refresh ?? refresh };
    } catch (thrown) {
      // Trouble that may pass must not cost the only way in.
      if (!(thrown instanceof GleitzeitError) || thrown.class !== 'rejected') throw thrown;
      if (this.#held !== null) this.#held = { ...this.#held, refresh: null };
      else this.#configuredRefresh = false;
      return null;
    }
  }

  /** The one that was configured, which like the client is shown to one issuer alone. */
  #refreshFor(issuer: string): string | undefined {
    const { refresh_token } = this.#parts.secrets();
    if (!this.#configuredRefresh || refresh_token === undefined) return undefined;
    this.#bound ??= issuer;
    return this.#bound === issuer ? refresh_token : undefined;
  }

  async #granted(asked: Asked): Promise<Access> {
    const { config, authorize } = this.#parts;
    if (config.grant === 'client_credentials')
      return this.#token(asked, { grant_type: 'client_credentials' });
    const { server, resource } = asked.found;
    if (authorize === null)
      throw refused(
        `a person has to allow at ${server.issuer} that this server is called, and nobody can be asked here`,
        'use oauth.grant client_credentials, or oauth.refresh_token with a token that was allowed elsewhere',
      );
    const { redirect_uri } = config;
    const { client_id } = asked.client;
    const put = question({ server, client_id, redirect_uri, resource, scope: asked.scope });
    const code = codeIn(await authorize(put.url, this.#closing.signal), put, server);
    return this.#token(asked, {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: put.verifier,
    });
  }

  async #token({ found, client, scope }: Asked, fields: Readonly<Record<string, string>>): Promise<Access> {
    const { server, resource } = found;
    const { clock, post } = this.#parts;
    const shown = proof(client, server, clock.wall());
    // A code and a refresh token stand for what was allowed with them: asking for more would be refused.
    const asks = fields['grant_type'] === 'client_credentials' && scope.length > 0;
    const scoped = asks ? { scope: scope.join(' ') } : {};
    const body = new URLSearchParams({ ...fields, ...shown.fields, ...scoped, resource }).toString();
    for (const secret of [...Object.values(shown.headers), fields['refresh_token']])
      if (secret !== undefined) this.#told.add(secret);
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...shown.headers,
    };
    const response = await post(server.token_endpoint, headers, body);
    const { origin, pathname } = server.token_endpoint;
    const secrets = [
      ...this.values(),
      ...Object.values(this.#parts.secrets()).filter((one) => one !== undefined),
    ];
    const access = tokenFrom(response, {
      endpoint: `${origin}${pathname}`,
      secrets,
      wall: () => clock.wall(),
    });
    const refresh = parsed(response.body)?.['refresh_token'];
    if (typeof refresh === 'string') this.#told.add(refresh);
    return { ...access, refresh: typeof refresh === 'string' ? refresh : null };
  }
}

type Asked = {
  readonly found: Discovered;
  readonly client: Client;
  readonly scope: readonly string[];
  readonly stepUp: boolean;
};
type Access = AccessToken & { readonly refresh: string | null };

function parsed(body: Buffer): JsonObject | null {
  try {
    return JSON.parse(body.toString()) as JsonObject;
  } catch {
    return null;
  }
}
