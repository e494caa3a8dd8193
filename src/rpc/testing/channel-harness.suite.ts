import { expect } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Channel, ChannelCall, ChannelNotification, Notified, RpcAnswer } from '../channel.ts';

export type OpenChannel = {
  readonly channel: Channel;
  /** Ends the channel and the peer. */
  stop(): Promise<void>;
};

export type ChannelHarness = {
  /** Whether all calls share one connection, or each has an exchange of its own. */
  readonly kind: 'duplex' | 'exchange';
  /** Whether there is a connection that can break. */
  readonly breaks: boolean;
  /** Whether a peer that asks something of us is told that we have no methods. */
  readonly replies?: boolean;
  /** A new `scriptedPeer` and a channel to it that refuses messages of more than `max_message` bytes. */
  open(options: { readonly max_message: number; readonly notified?: Notified }): Promise<OpenChannel>;
};

export const MAX_MESSAGE = 256 * 1024;

export type Talk = {
  readonly channel: Channel;
  readonly heard: ChannelNotification[];
  call(method: string, params?: ChannelCall['params'], options?: Partial<ChannelCall>): Promise<RpcAnswer>;
  /** The code of the error of ours that a call ends with. */
  trouble(method: string, params?: ChannelCall['params'], options?: Partial<ChannelCall>): Promise<string>;
};

/** A channel for the length of one test. */
export async function talking(harness: ChannelHarness, test: (talk: Talk) => Promise<void>): Promise<void> {
  const heard: ChannelNotification[] = [];
  const notified: Notified = (message) => void heard.push(message);
  const { channel, stop } = await harness.open({ max_message: MAX_MESSAGE, notified });
  let calls = 0;
  const call: Talk['call'] = (method, params, options = {}) =>
    channel.call({ id: `call-${++calls}`, method, params, signal: new AbortController().signal, ...options });
  const trouble: Talk['trouble'] = async (...asked) => (await troubleOf(call(...asked))).code;
  try {
    await test({ channel, heard, call, trouble });
  } finally {
    await stop();
  }
}

export async function troubleOf(answer: Promise<unknown>): Promise<GleitzeitError> {
  const outcome = await answer.then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  );
  expect(outcome).toEqual({ thrown: expect.any(GleitzeitError) });
  return (outcome as { thrown: GleitzeitError }).thrown;
}
