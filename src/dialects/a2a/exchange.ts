import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import { readMessage } from '../../rpc/answers.ts';
import { givenUp } from '../../rpc/correlate.ts';
import type { WebClient, WebStream } from '../../rpc/http/client.ts';
import { retryAfter } from '../../rpc/http/retry-after.ts';
import { type SseEvent, SseParser, sseEvents } from '../../rpc/http/sse.ts';
import { compression, translationError } from '../agent/translation-error.ts';
import { bodyOf, mediaType, refusalFrom } from '../mcp/http-said.ts';
import { answerLimits } from '../provider-type.ts';
import { type Limit, within } from '../timeout.ts';
import type { Endpoint } from './endpoints.ts';
import type { Heard } from './heard.ts';
import { PROTOCOL } from './wire/model.ts';
import { type WireRequest, wireHeaders } from './wire/requests.ts';

export type ExchangeParts = {
  readonly web: WebClient;
  /** Sent with every request to the origin that was configured. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly extensions: readonly string[];
  readonly hide: (text: string) => string;
  readonly clock: Clock;
  readonly timers: Timers;
  /** For each answer, and for the silence between two events of a stream. */
  readonly limit: Limit | null;
};

export type Ask = WireRequest & {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly stream: boolean;
  /** Headers of the call this is part of: who asks, and in which trace. */
  readonly about: Readonly<Record<string, string>>;
};

/** What came back: one answer, or events that are to be read once. */
export type Reply = { readonly answer: Heard } | { readonly events: AsyncIterable<Heard> };

/** A stream may be long: what is bounded is each event, and what is made of them. */
const MOST_BYTES = Number.MAX_SAFE_INTEGER;
/** Without a word for so long a connection may be dead without anybody having noticed. */
const SILENCE_MS = 60_000;
/** So much of an answer that cannot be used is looked at. */
const READ = 64 * 1024;

/** One request over HTTP. Agents stream where nobody asked for it, and do not where somebody did: both are taken. */
export async function ask(parts: ExchangeParts, endpoint: Endpoint, asked: Ask): Promise<Reply> {
  const { id, method, params, stream, about } = asked;
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  return inTime(parts, asked.signal, async (signal) => {
    const opened = await post(parts, endpoint, { body, stream, about, signal });
    if (opened.status < 300 && mediaType(opened) === 'text/event-stream')
      return { events: eventsOf(parts, opened, asked) };
    return { answer: { ...(await wholeAnswer(parts, opened, endpoint.url)), id } };
  });
}

/** `made` gets a signal that is over when there is an answer. */
export function inTime<Made>(
  { limit }: ExchangeParts,
  signal: AbortSignal,
  made: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  return limit === null ? made(signal) : within(limit, signal, made);
}

type Posting = Pick<Ask, 'stream' | 'about' | 'signal'> & { readonly body: string };

export function post(parts: ExchangeParts, endpoint: Endpoint, posting: Posting): Promise<WebStream> {
  const { body, stream, about, signal } = posting;
  // What says nothing of us but in which language we speak, for endpoints on other hosts than the card.
  const told = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream, application/json' : 'application/json',
    ...wireHeaders(endpoint.version, parts.extensions),
    ...about,
  };
  const headers = { ...parts.headers(), ...told };
  return parts.web.stream({
    method: 'POST',
    url: endpoint.url,
    headers,
    told,
    body,
    signal,
    max_bytes: MOST_BYTES,
  });
}

/** An answer in one piece. Under a status that refuses, anything may stand in it. */
export async function wholeAnswer(
  parts: Pick<ExchangeParts, 'hide' | 'clock'>,
  opened: WebStream,
  url: URL,
): Promise<Omit<Heard, 'id'>> {
  const body = await bodyOf(opened);
  const peer = `${url.origin}${url.pathname}`;
  const refused = opened.status >= 300 ? refusalFrom(opened, body, { ...parts, peer }) : null;
  const read = readMessage(body, answerLimits.max_depth);
  const status = statusOf(opened, parts.clock);
  if ('value' in read) return { said: read.value, unusable: null, refused, ...status };
  const said = parts.hide(body.subarray(0, READ).toString());
  return { said, unusable: refused ?? noAnswer(whyNot(opened, read.invalid), said), refused, ...status };
}

function statusOf({ status, headers }: WebStream, clock: Clock) {
  const retry_after_ms = retryAfter(headers['retry-after'], () => clock.wall());
  return { http_status: status, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) };
}

/** Where it is no JSON, what it says it is explains most. */
function whyNot(opened: WebStream, invalid: string): string {
  if (opened.status === 202 || opened.status === 204) return `is only HTTP ${opened.status}, without a word`;
  const packed = compression(opened.headers);
  if (packed !== null) return packed;
  const type = mediaType(opened);
  return type === '' || type.includes('json') ? invalid : `${invalid} but ${type.slice(0, 100)}`;
}

function noAnswer(reason: string, original_data: Json): GleitzeitError {
  const said = { direction: 'response', trouble: 'no_json', reason, original_data } as const;
  return translationError({ protocol: PROTOCOL, ...said });
}

/** The answers in a stream. One that falls silent is broken off: it ends as one does that was cut. */
async function* eventsOf(
  parts: ExchangeParts,
  opened: WebStream,
  { id, signal }: Pick<Ask, 'id' | 'signal'>,
): AsyncGenerator<Heard> {
  const silence_ms = parts.limit?.ms ?? SILENCE_MS;
  const stop = () => opened.cancel();
  let cancel = parts.timers.after(silence_ms, stop);
  const body = watched(opened.body, () => {
    cancel();
    cancel = parts.timers.after(silence_ms, stop);
  });
  signal.addEventListener('abort', stop);
  try {
    for await (const event of sseEvents(body, new SseParser(answerLimits.max_message)))
      if (event.data.trim() !== '') yield { ...heardIn(event, parts.hide), id };
    if (signal.aborted) throw givenUp(signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    opened.cancel();
  }
}

function heardIn({ event, data }: SseEvent, hide: (text: string) => string): Omit<Heard, 'id'> {
  const read = readMessage(data, answerLimits.max_depth);
  const shown = hide(data.slice(0, READ));
  const refused =
    event === 'error'
      ? new GleitzeitError('GLZ2001', `the agent broke off its answer: ${shown.slice(0, 500)}`)
      : null;
  if ('value' in read) return { said: read.value, unusable: null, refused };
  const unusable = refused ?? noAnswer(`has an event that ${read.invalid}`, shown);
  return { said: shown, unusable, refused };
}

async function* watched(body: AsyncIterable<Buffer>, heard: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    heard();
    yield chunk;
  }
}
