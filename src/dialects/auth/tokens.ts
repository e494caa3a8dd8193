import { GleitzeitError } from '../../core/errors.ts';
import { type Bucket, fullBucket, type RateLimit, takenFrom } from '../../core/pool/bucket.ts';
import { givenUp } from '../../rpc/correlate.ts';
import type { Credentials, Shown } from '../../rpc/credentials.ts';
import type { Post } from '../../rpc/http/post.ts';
import { type Filled, filled } from '../filled.ts';
import type { ProviderParts } from '../provider-type.ts';
import { Remembered } from '../remembered.ts';
import type { OAuth2Config } from './config.ts';
import { type AccessToken, tokenFrom } from './token-answer.ts';
import { type TokenRequest, tokenRequest } from './token-request.ts';

/** How long the endpoint may take. */
const DEADLINE_MS = 10_000;
const MAX_ANSWER = 64 * 1024;
/** A token is replaced so long before it ends, while calls still go on with it; */
const RENEWED_BEFORE_MS = 60_000;
/** and so long before it ends, no call sets out with it any more. */
const UNUSED_BEFORE_MS = 5_000;
/** What the endpoint said last is what calls are told meanwhile: it is not asked with each of them. */
const FAILURE_HELD_MS = 1_000;
const LONGEST_HELD_MS = 30_000;
/** How often a token is replaced because it was refused: a service may take none of those that the endpoint gives. */
const REPLACEMENTS: RateLimit = { per_ms: 1 / 1_000, burst: 3 };

type Token = {
  /** What it was asked for with: with another secret there is another token. */
  readonly key: string;
  readonly shown: Shown;
  readonly renew_at: number;
  readonly ends_at: number;
};
type Asking = { readonly key: string; readonly token: Promise<Token> };
type Failure = { readonly key: string; readonly error: GleitzeitError; readonly until: number };

/** Access tokens by client credentials (RFC 6749, 4.4): one for all calls, replaced shortly before it ends. */
export function openTokens(config: OAuth2Config, parts: ProviderParts, at: string): Credentials {
  const { client_id, client_secret, scope = '', audience = '' } = config;
  const texts = filled({ client_id, client_secret, scope, audience }, parts.secrets, at);
  const post = parts.channels.post({ url: config.token_url, tls: config.tls ?? null });
  return new Tokens(config, texts, { ...parts, post });
}

type Surroundings = Pick<ProviderParts, 'clock' | 'timers'> & { readonly post: Post };

class Tokens implements Credentials {
  readonly #style: 'header' | 'body';
  readonly #endpoint: string;
  readonly #texts: Filled;
  readonly #parts: Surroundings;
  readonly #told = new Remembered();
  readonly #closing = new AbortController();
  #token: Token | null = null;
  #asking: Asking | null = null;
  #failure: Failure | null = null;
  #replacements: Bucket;

  constructor({ token_url, style = 'header' }: OAuth2Config, texts: Filled, parts: Surroundings) {
    const { origin, pathname } = new URL(token_url);
    this.#style = style;
    this.#endpoint = `${origin}${pathname}`;
    this.#texts = texts;
    this.#parts = parts;
    this.#replacements = fullBucket(REPLACEMENTS, parts.clock.monotonic());
  }

  show(signal: AbortSignal | null): Shown | Promise<Shown> {
    const request = tokenRequest(this.#texts.fill(), this.#style);
    const now = this.#parts.clock.monotonic();
    const token = this.#token?.key === request.key ? this.#token : null;
    if (token !== null && now < token.renew_at) return token.shown;
    const next = this.#next(request, now);
    if (token === null || now >= token.ends_at) return patiently(next, signal);
    // It is good for a while yet: whoever comes now need not wait, and nothing is lost if there is no other one so soon.
    next.catch(() => {});
    return token.shown;
  }

  refused(shown: Shown): boolean {
    // Somebody else has seen to it.
    if (this.#token?.shown !== shown) return true;
    const now = this.#parts.clock.monotonic();
    const { bucket, taken } = takenFrom(this.#replacements, REPLACEMENTS, { count: 1, now });
    this.#replacements = bucket;
    if (taken === 0) return false;
    this.#token = null;
    return true;
  }

  values(): readonly string[] {
    return [...this.#texts.values(), ...this.#told.values()];
  }

  async close(): Promise<void> {
    this.#closing.abort(new GleitzeitError('GLZ2002', 'the channel it was for is closed'));
    await this.#asking?.token.catch(() => {});
  }

  /** One request at a time, whoever waits for it. */
  #next(request: TokenRequest, now: number): Promise<Token> {
    const { key } = request;
    if (this.#asking?.key === key) return this.#asking.token;
    if (this.#failure?.key === key && now < this.#failure.until) return Promise.reject(this.#failure.error);
    const asking: Asking = { key, token: this.#ask(request, now) };
    this.#asking = asking;
    const over = () => {
      if (this.#asking === asking) this.#asking = null;
    };
    asking.token.then(over, over);
    return asking.token;
  }

  async #ask(request: TokenRequest, now: number): Promise<Token> {
    try {
      const access = await this.#request(request);
      this.#told.add(access.token);
      this.#failure = null;
      this.#token = tokenOf(access, { key: request.key, made_at: now });
      return this.#token;
    } catch (thrown) {
      const error = GleitzeitError.from(thrown, 'GLZ2001');
      const asked = Math.min(error.details.retry_after_ms ?? 0, LONGEST_HELD_MS);
      const until = this.#parts.clock.monotonic() + Math.max(asked, FAILURE_HELD_MS);
      this.#failure = { key: request.key, error, until };
      throw error;
    }
  }

  async #request({ headers, body, telling }: TokenRequest): Promise<AccessToken> {
    const { post, timers, clock } = this.#parts;
    for (const text of telling) this.#told.add(text);
    const late = new AbortController();
    const cancel = timers.after(DEADLINE_MS, () => late.abort(tooLate(this.#endpoint)));
    const signal = AbortSignal.any([late.signal, this.#closing.signal]);
    try {
      const response = await post({ headers, body, signal, max_bytes: MAX_ANSWER }).catch(unanswered);
      const secrets = this.values();
      return tokenFrom(response, { endpoint: this.#endpoint, secrets, wall: () => clock.wall() });
    } finally {
      cancel();
    }
  }
}

/** `made_at`: when it was asked for, since nobody knows how long its answer was under way. */
function tokenOf(
  { token, lifetime_ms }: AccessToken,
  { key, made_at }: { readonly key: string; readonly made_at: number },
): Token {
  const end = made_at + lifetime_ms;
  return {
    key,
    shown: { headers: { authorization: `Bearer ${token}` }, query: '' },
    renew_at: end - Math.min(RENEWED_BEFORE_MS, lifetime_ms / 5),
    ends_at: end - Math.min(UNUSED_BEFORE_MS, lifetime_ms / 10),
  };
}

/** A call that is given up stops waiting; the request goes on for the others. */
function patiently(token: Promise<Token>, signal: AbortSignal | null): Promise<Shown> {
  const shown = token.then((made) => made.shown);
  if (signal === null) return shown;
  return new Promise((resolve, reject) => {
    const stop = () => reject(givenUp(signal));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    shown.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function unanswered(thrown: unknown): never {
  const { code, message, details } = GleitzeitError.from(thrown, 'GLZ2002');
  // Too long to have come from a token endpoint: a page of whoever is on the way, which may pass.
  throw new GleitzeitError(code === 'GLZ2005' ? 'GLZ2002' : code, `no access token: ${message}`, details);
}

function tooLate(endpoint: string): GleitzeitError {
  return new GleitzeitError('GLZ2003', `${endpoint} did not answer within ${DEADLINE_MS / 1000} s`);
}
