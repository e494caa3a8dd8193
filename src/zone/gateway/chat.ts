import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { HttpResponse, WebClient } from '../../rpc/http/client.ts';
import { retryAfter } from '../../rpc/http/retry-after.ts';

export type Post = {
  readonly client_msg_id: string;
  readonly text: string;
  readonly channel?: string;
  readonly thread_ts?: string;
  readonly response_url?: string;
  /** Everybody in the channel, unless told; at a `response_url` only. */
  readonly visible_to?: 'channel' | 'asker';
};

/** Where replies are posted. Rejects with an error of ours that says whether another try makes sense. */
export interface Chat {
  post(post: Post, signal: AbortSignal): Promise<{ readonly ts: string | null }>;
}

export type ChatParts = {
  /** To the API: addresses that came with a command are called through its guard. */
  readonly client: WebClient;
  readonly url: string;
  readonly bot_token: string;
  readonly clock: Clock;
};

/** So much of an answer is read. */
const MAX_BYTES = 1 << 20;
const json = { 'content-type': 'application/json; charset=utf-8' };

/** Slack's Web API, or one that behaves as it does. */
export function slackChat({ client, url, bot_token, clock }: ChatParts): Chat {
  const method = new URL(`${url.replace(/\/$/, '')}/chat.postMessage`);
  const wall = () => clock.wall();

  async function toChannel({ response_url: _, visible_to: __, ...message }: Post, signal: AbortSignal) {
    const body = JSON.stringify(message);
    const headers = { ...json, authorization: `Bearer ${bot_token}` };
    const request = { method: 'POST', url: method, headers, body, signal, max_bytes: MAX_BYTES };
    const response = await client.request(request);
    refuseStatus(response, 'the chat', wall);
    return { ts: timestampIn(response) };
  }

  async function toAddress(address: string, { text, client_msg_id, visible_to }: Post, signal: AbortSignal) {
    const response_type = visible_to === 'asker' ? 'ephemeral' : 'in_channel';
    const body = JSON.stringify({ response_type, text, client_msg_id });
    const request = { method: 'POST', url: new URL(address), headers: json, body, signal };
    const response = await client
      .request({ ...request, max_bytes: MAX_BYTES, foreign: true })
      .catch(hideAddress);
    refuseStatus(response, 'the address for the reply', wall);
    return { ts: null };
  }

  return {
    post: (post, signal) =>
      post.response_url === undefined ? toChannel(post, signal) : toAddress(post.response_url, post, signal),
  };
}

/** Whoever knows the address may write to the channel: errors are told without it. */
function hideAddress(thrown: unknown): never {
  const { code } = GleitzeitError.from(thrown, 'GLZ2002');
  const what = code === 'GLZ2010' ? 'may not be called, or leads elsewhere' : 'could not be called';
  throw new GleitzeitError(code, `the address for the reply ${what}`);
}

function refuseStatus({ status, headers }: HttpResponse, who: string, wall: () => number): void {
  if (status >= 200 && status < 300) return;
  const retry_after_ms = retryAfter(headers['retry-after'], wall);
  const details = retry_after_ms === undefined ? {} : { retry_after_ms };
  const code = status === 429 ? 'GLZ2004' : status >= 500 ? 'GLZ2001' : 'GLZ2010';
  throw new GleitzeitError(code, `${who} answered with HTTP ${status}`, details);
}

/** What the chat says when the same message may be taken later. */
const passing = [
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  // The token is wrong or was taken back: whoever runs the gateway can mend that while replies wait.
  'not_authed',
  'invalid_auth',
  'token_expired',
  'token_revoked',
  'account_inactive',
];

/** The API answers 200 also where it refuses. */
function timestampIn({ body }: HttpResponse): string | null {
  const answer = parse(body);
  if (isObject(answer) && answer['ok'] === true)
    return typeof answer['ts'] === 'string' ? answer['ts'] : null;
  const error =
    isObject(answer) && typeof answer['error'] === 'string' ? answer['error'].slice(0, 100) : null;
  if (error === null)
    throw new GleitzeitError('GLZ2001', 'the chat answered with something that is no answer');
  if (error === 'ratelimited' || error === 'rate_limited')
    throw new GleitzeitError('GLZ2004', `the chat refused the reply: ${error}`);
  throw new GleitzeitError(
    passing.includes(error) ? 'GLZ2001' : 'GLZ2010',
    `the chat refused the reply: ${error}`,
  );
}

function parse(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return null;
  }
}
