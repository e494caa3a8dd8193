import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts';
import { readMessage } from '../../rpc/answers.ts';
import type { HttpResponse, ResponseHeaders, WebClient } from '../../rpc/http/client.ts';
import { answerLimits } from '../provider-type.ts';
import { endpointsOf } from './endpoints.ts';
import { type AgentCard, readCard } from './wire/card.ts';
import { wireHeaders } from './wire/requests.ts';

/** Cards hold texts about skills, and examples of them. */
const MAX_CARD = 1024 * 1024;

export type Found = {
  readonly card: AgentCard;
  /** As it was written. */
  readonly raw: JsonObject;
  /** Where it was, to ask there again. */
  readonly at: URL;
  readonly etag: string | null;
  /** For how long it may be used without asking, in milliseconds; null where it does not say. */
  readonly fresh_ms: number | null;
};

/**
 * `unsure`: nobody could say. The agent may have a card, so that whatever goes wrong then may be because of that. `none` is not
 * `certain` where the agent failed at some of the places.
 */
export type Looked =
  | { readonly is: 'found'; readonly found: Found }
  | { readonly is: 'unchanged' }
  | { readonly is: 'none'; readonly certain: boolean }
  | { readonly is: 'unsure'; readonly trouble: GleitzeitError };

export type LookupParts = {
  readonly web: Pick<WebClient, 'request'>;
  /** Where the agent was said to be: a base address, its endpoint, or its card itself. */
  readonly home: URL;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** What is found at one place. `failing`: the agent may be like that to every address that it does not know. */
type Seen =
  | Exclude<Looked, { is: 'none' }>
  | { readonly is: 'nothing' }
  | { readonly is: 'failing'; readonly trouble: GleitzeitError };

/** Looks for a card wherever agents of all versions have one. */
export async function lookUpCard(parts: LookupParts, places: readonly CardPlace[]): Promise<Looked> {
  const failures: GleitzeitError[] = [];
  for (const place of places) {
    const seen = await lookAt(parts, place);
    if (seen.is === 'failing') failures.push(seen.trouble);
    else if (seen.is === 'nothing' || (seen.is === 'found' && !place.accepts(seen.found.card))) continue;
    else return seen;
  }
  const [trouble] = failures;
  // One that fails wherever it is asked says nothing about cards either.
  if (trouble !== undefined && failures.length === places.length) return { is: 'unsure', trouble };
  return { is: 'none', certain: trouble === undefined };
}

/** Asks again where a card was, and everywhere else where it is gone. */
export async function lookAgain(
  parts: LookupParts,
  places: readonly CardPlace[],
  { at, etag }: Found,
): Promise<Looked> {
  const seen = await lookAt(parts, { url: at, etag });
  if (seen.is === 'failing') return { is: 'unsure', trouble: seen.trouble };
  return seen.is === 'nothing' ? lookUpCard(parts, places) : seen;
}

export type CardPlace = {
  readonly url: URL;
  /** Whether a card that lies there is the one of this agent. */
  accepts(card: AgentCard): boolean;
};

const anyone = () => true;
const WELL_KNOWN = ['/.well-known/agent-card.json', '/.well-known/agent.json'];

/** Below the address, as far as it goes, then the address itself, then at the root of its host. */
export function cardPlaces(home: URL): CardPlace[] {
  const direct = { url: home, accepts: anyone };
  if (home.pathname.endsWith('.json')) return [direct];
  const base = home.pathname.replace(/\/+$/, '');
  const below = WELL_KNOWN.map((path) => ({ url: withPath(home, base + path), accepts: anyone }));
  if (base === '') return [...below, direct];
  // Several agents may live on one host: the card there is this one's only if it leads here.
  const leadsHere = (card: AgentCard) =>
    endpointsOf(card, home).some(
      ({ url }) => url.origin === home.origin && url.pathname.replace(/\/+$/, '') === base,
    );
  const atRoot = WELL_KNOWN.map((path) => ({ url: withPath(home, path), accepts: leadsHere }));
  return [...below, direct, ...atRoot];
}

function withPath(home: URL, pathname: string): URL {
  const url = new URL(home);
  url.pathname = pathname;
  return url;
}

type Asked = { readonly url: URL; readonly etag?: string | null };

async function lookAt(parts: LookupParts, { url, etag = null }: Asked): Promise<Seen> {
  try {
    const first = await get(parts, url, { ...wireHeaders('1.0'), ...conditional(etag) });
    // An agent of an older version may take the header for a mistake.
    const answer =
      first.status === 400 || isRefusal(first) ? await get(parts, url, conditional(etag)) : first;
    return seenIn(answer, url);
  } catch (thrown) {
    return { is: 'unsure', trouble: GleitzeitError.from(thrown, 'GLZ2002') };
  }
}

function get({ web, headers, signal }: LookupParts, url: URL, more: Readonly<Record<string, string>>) {
  const sent = { accept: 'application/json', ...more };
  return web.request({
    method: 'GET',
    url,
    headers: { ...headers(), ...sent },
    told: sent,
    body: null,
    signal,
    max_bytes: MAX_CARD,
  });
}

function conditional(etag: string | null): Record<string, string> {
  return etag === null ? {} : { 'if-none-match': etag };
}

/** An error of JSON-RPC in place of a card: the version that was named is not spoken there. */
function isRefusal({ body }: HttpResponse): boolean {
  const read = readMessage(body, answerLimits.max_depth);
  return 'value' in read && isObject(read.value) && own(read.value, 'error') !== undefined;
}

/** A proxy without its agent says nothing about cards. */
const away = [408, 425, 429, 502, 503, 504];
/** Who knows no GET says so with this. */
const NOT_IMPLEMENTED = 501;

function seenIn({ status, headers, body }: HttpResponse, at: URL): Seen {
  if (status === 304) return { is: 'unchanged' };
  if (away.includes(status) || (status >= 500 && status !== NOT_IMPLEMENTED)) {
    const where = `${at.origin}${at.pathname}`;
    const trouble = new GleitzeitError('GLZ2002', `the card of the agent at ${where} answers HTTP ${status}`);
    return { is: away.includes(status) ? 'unsure' : 'failing', trouble };
  }
  if (status !== 200) return { is: 'nothing' };
  const read = readMessage(body, answerLimits.max_depth);
  if (!('value' in read) || !isCard(read.value)) return { is: 'nothing' };
  const [card, raw] = [readCard(read.value), read.value];
  return { is: 'found', found: { card, raw, at, etag: etagOf(headers), fresh_ms: freshness(headers) } };
}

/** Many services answer any address with some JSON. */
function isCard(value: Json): value is JsonObject {
  if (!isObject(value) || typeof own(value, 'name') !== 'string') return false;
  return ['supportedInterfaces', 'url', 'skills', 'capabilities'].some(
    (key) => own(value, key) !== undefined,
  );
}

function etagOf({ etag }: ResponseHeaders): string | null {
  return typeof etag === 'string' && /^(?:W\/)?"[^"\r\n]*"$/.test(etag) ? etag : null;
}

function freshness(headers: ResponseHeaders): number | null {
  const control = String(headers['cache-control'] ?? '');
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0;
  const age = /\bmax-age=(\d{1,9})/i.exec(control)?.[1];
  return age === undefined ? null : Number(age) * 1000;
}
