import type { TSchema } from 'typebox';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../core/limits.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { Channel } from '../rpc/channel.ts';
import type { Credentials } from '../rpc/credentials.ts';
import type { Post } from '../rpc/http/post.ts';
import type { Secrets } from './filled.ts';

/** A provider as a configuration describes it. */
export type ProviderSpec = {
  readonly id: string;
  readonly protocol: string;
  readonly type: string;
  readonly config: unknown;
};

export type TlsFiles = {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
};

/** What an envelope may add to the largest payload. */
const ENVELOPE = 64 * 1024;

/** What an answer may measure; more could not be kept. */
export const answerLimits = { max_message: MAX_PAYLOAD + ENVELOPE, max_depth: MAX_JSON_DEPTH };

type Texts = Readonly<Record<string, string>>;

/** A service that is reached by its address. The channel owns the credentials. */
type Reached = {
  readonly url: string;
  readonly tls: TlsFiles | null;
  readonly credentials: Credentials | null;
};

/** What carries calls, made by whoever knows the carriers. Texts that may hold secrets are asked for when they are used. */
export type ChannelFactories = {
  http(target: Reached & { headers: Texts; connections: number }): Channel;
  /** `headers` with every connection. */
  websocket(target: Reached & { headers: () => Texts }): Channel;
  /** For requests of their own beside the calls: for access tokens. */
  post(target: { url: string; tls: TlsFiles | null }): Post;
  stdio(target: {
    command: readonly [string, ...string[]];
    cwd: string | null;
    env: () => Texts;
    framing: 'auto' | 'lines' | 'headers';
    limits: typeof answerLimits;
  }): Channel;
};

export type ProviderParts = {
  readonly channels: ChannelFactories;
  readonly secrets: Secrets;
  /** Texts of the configuration that are secret without being named as such: a service may repeat them in its errors. */
  readonly hidden?: () => readonly string[];
  readonly timers: Timers;
  readonly clock: Clock;
  /** The methods of the provider's protocol, so that a name that is none of them is noticed. */
  readonly methods: readonly string[];
};

/** One kind of provider that a configuration can name, with the schema of what it has to be told. */
export type ProviderType = {
  readonly type: string;
  readonly summary: string;
  /** It starts a program on this machine: taken from files, never from the API. */
  readonly files_only: boolean;
  readonly schema: TSchema;
  open(spec: ProviderSpec, parts: ProviderParts): Provider;
};
