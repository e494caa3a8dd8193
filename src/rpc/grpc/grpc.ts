import type { Json, JsonObject } from '../../core/json.ts';

type Texts = Readonly<Record<string, string>>;

/** A method of a service: `package.Service` and `Method`. */
export type GrpcMethod = { readonly service: string; readonly method: string };

export type GrpcCall = {
  readonly method: GrpcMethod;
  readonly params: JsonObject;
  readonly metadata: Texts;
  readonly signal: AbortSignal;
  /** When the service is to give up by itself, in milliseconds from now; null where only the signal tells. */
  readonly timeout_ms: number | null;
  /** Each message of a stream as it comes. */
  readonly heard?: ((message: Json, count: number) => void) | undefined;
};

/** What the service said: its message, all messages of a stream, or a status that is not OK. */
export type GrpcAnswer =
  | { readonly said: 'message'; readonly message: Json }
  | { readonly said: 'stream'; readonly messages: readonly Json[] }
  | {
      readonly said: 'status';
      readonly code: number;
      readonly message: string;
      /** How long it asks to be left alone. */
      readonly retry_after_ms?: number;
    };

/** `unknown`: it is there, and has no health service that says more. */
export type GrpcHealth =
  | { readonly said: 'serving' | 'not_serving' | 'unknown' }
  | Extract<GrpcAnswer, { said: 'status' }>;

export interface GrpcChannel {
  /** Rejects where nothing was said: the params fit no message, the answer is none, or the signal ended it. */
  call(call: GrpcCall): Promise<GrpcAnswer>;
  /** Asks the service how it is, by the health service that gRPC describes. Rejects as `call` does. */
  check(signal: AbortSignal): Promise<GrpcHealth>;
  close(): Promise<void>;
}

/** Where the types of messages are written: in files, or where the service tells them itself. */
export type Protos = {
  readonly files: readonly string[];
  /** Where files look for those they import. */
  readonly include: readonly string[];
};

export type GrpcLimits = {
  /** Bytes of one message, and of all messages of a stream. */
  readonly max_message: number;
  readonly max_messages: number;
};
