import type { Json } from '../core/json.ts';
import type { Progress } from '../core/ports/provider.ts';
import type { RpcErrorObject, RpcParams } from './messages.ts';

export type ChannelCall = {
  /** Unique among the calls under way on this channel. */
  readonly id: string | number;
  readonly method: string;
  readonly params?: RpcParams | undefined;
  /** Caller, deadline and shutdown in one. A reason that is an error of ours is what the call rejects with. */
  readonly signal: AbortSignal;
  /** Sent where the carrier has headers, left out where it has none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Hears what the peer tells of this call before it answers. */
  readonly progressed?: ((told: Progress) => void) | undefined;
};

export type ChannelNotification = { readonly method: string; readonly params?: RpcParams | undefined };

/** What the peer said. HTTP adds its status and the time it asked us to wait. */
export type RpcAnswer = ({ readonly result: Json } | { readonly error: RpcErrorObject }) & {
  readonly http_status?: number;
  readonly retry_after_ms?: number;
};

/** What carries calls to one peer. `channel.suite.ts` is what every one of them must do. */
export interface Channel {
  /**
   * Resolves with what the peer said. Rejects with an error of ours for what became of the call: GLZ2002 it could not be
   * carried or its connection broke, GLZ2003 it was given up, GLZ2005 the peer's answer is none or past a bound.
   */
  call(call: ChannelCall): Promise<RpcAnswer>;
  /** Resolves when it was handed over. Nobody will answer it. */
  notify(message: ChannelNotification): Promise<void>;
  /** Begins with what the first call would have to wait for. Nobody hears if it fails: the call will. */
  warm?(): void;
  /** Ends whoever is at the other end, where it is ours and has said nothing for so long; the next call finds another. */
  renew?(silent_ms: number): void;
  /** Rejects what is under way and everything that comes after. Safe to repeat. */
  close(): Promise<void>;
}

/** What a duplex channel hands on besides answers. */
export type Notified = (message: ChannelNotification) => void;

/** What is said to somebody who asked. */
export type RpcReply = { readonly result: Json } | { readonly error: RpcErrorObject };

/** Answers what the peer asks of us over a duplex channel, and never rejects; null where there is no such method. */
export type Asked = (message: ChannelNotification) => Promise<RpcReply> | null;
