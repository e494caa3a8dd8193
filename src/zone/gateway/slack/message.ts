import type { ChatRequest } from '../../verification/request.ts';

/** Where the reply goes: an address that is good for this one reply, or the conversation itself. */
export type ReplyTo =
  | { readonly response_url: string }
  | { readonly channel: string; readonly thread_ts?: string };

/** What somebody asked. `key` is the same for every delivery of it, and for nothing else. */
export type Heard = {
  readonly is: 'request';
  readonly key: string;
  readonly request: ChatRequest;
  readonly reply_to: ReplyTo;
};

/** What came through the hook. */
export type HookMessage =
  | Heard
  /** Slack wants to see that the address is ours. */
  | { readonly is: 'challenge'; readonly challenge: string }
  /** Nothing that is to be answered. */
  | { readonly is: 'ignored'; readonly reason: string }
  | { readonly is: 'malformed'; readonly reason: string };

export type HookOptions = { readonly events: readonly string[] };

export function malformed(reason: string): HookMessage {
  return { is: 'malformed', reason };
}

export function ignored(reason: string): HookMessage {
  return { is: 'ignored', reason };
}
