import type { TSchema } from 'typebox';
import type { Json, JsonObject } from '../core/json.ts';
import { MAX_JSON_DEPTH, MAX_PAYLOAD } from '../core/limits.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { Asked, Channel, Notified } from '../rpc/channel.ts';
import type { Credentials } from '../rpc/credentials.ts';
import type { GrpcChannel, GrpcLimits, Protos } from '../rpc/grpc/grpc.ts';
import type { WebClient } from '../rpc/http/client.ts';
import type { Look } from '../rpc/http/look.ts';
import type { Post } from '../rpc/http/post.ts';
import type { RpcErrorObject } from '../rpc/messages.ts';
import type { Programs } from '../rpc/program/program.ts';
import type { TranslationObserver } from './agent/translation.ts';
import type { Secrets } from './filled.ts';

/** A provider as a configuration describes it. */
export type ProviderSpec = {
  readonly id: string;
  readonly protocol: string;
  readonly type: string;
  readonly config: unknown;
  /** What calls with a `model` are routed by; the first is for those without one. */
  readonly models?: readonly string[] | undefined;
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
  /** `hidden`: what must not be shown of an answer, not even in part. */
  http(target: Reached & { headers: Texts; connections: number; hidden?: () => readonly string[] }): Channel;
  /**
   * For services that speak HTTP as they like. The origin of `url` is called as it is; every other address, by redirect or
   * in a request, has to be public or allowed by the configuration, and is shown nothing.
   */
  web(target: Reached & { connections: number; redirects?: number }): WebClient;
  /** `protos`: null where the service tells of its methods itself. */
  grpc(
    target: Reached & {
      readonly protos: Protos | null;
      readonly limits: GrpcLimits;
      readonly keepalive_ms: number | null;
    },
  ): GrpcChannel;
  /** `headers` with every connection. */
  websocket(target: Reached & { headers: () => Texts }): Channel;
  /** For requests of their own beside the calls: for access tokens. */
  post(target: { url: string; tls: TlsFiles | null }): Post;
  /** Pages at the host of a service, for its health; asked for directly where it is left out. */
  look?(target: Pick<Reached, 'url' | 'tls'>): Look;
  /** Programs that are started for single calls. */
  programs(): Programs;
  /** Another zone, whatever carries requests to it. */
  zone(target: ZoneTarget & { readonly max_bytes: number }): ZoneLine;
  stdio(target: {
    command: readonly [string, ...string[]];
    cwd: string | null;
    env: () => Texts;
    framing: 'auto' | 'lines' | 'headers';
    limits: typeof answerLimits;
    /** For dialects in which the program speaks without being asked. */
    notified?: Notified;
    asked?: Asked;
    ended?: () => void;
  }): Channel;
};

/** Where an execution zone is, and what it is shown. Texts that may hold secrets are asked for when they are used. */
export type ZoneTarget =
  | {
      readonly by: 'https' | 'websocket';
      readonly url: string;
      readonly tls: TlsFiles | null;
      key(): string | undefined;
    }
  | {
      readonly by: 'agentcore';
      readonly runtime_arn: string;
      readonly region: string;
      readonly qualifier: string | undefined;
      readonly endpoint: string | undefined;
      readonly credentials:
        | (() => { readonly id: string; readonly secret: string; readonly session?: string })
        | null;
    };

/** Requests of the zone contract, each with its checked response. Rejects with errors of ours for what is none. */
export type ZoneLine = {
  ask(
    request: { readonly id: string; readonly method: string; readonly params: JsonObject },
    signal: AbortSignal,
  ): Promise<{ readonly result: JsonObject } | { readonly error: RpcErrorObject }>;
  close(): Promise<void>;
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
  /** What is wrong with a value by a schema that a service gave; null for nothing. Throws where the schema is none. */
  readonly judge?: (schema: JsonObject) => (value: Json) => string | null;
  readonly logger?: Logger;
  /** Hears what is translated for agents. */
  readonly translations?: TranslationObserver | undefined;
  /** Which version of the product speaks, for services that want to know. */
  readonly version?: string;
  /** Shows an address to a person who may allow something, and gives back where he was sent then. */
  readonly authorize?: (url: URL, signal: AbortSignal) => Promise<URL>;
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
