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

/** `unsure`: nobody could say. The agent may have a card, so that whatever goes wrong then may be because of that. */
export type Looked =
  | { readonly is: 'found'; readonly found: Found }
  | { readonly is: 'unchanged' }
  | { readonly is: 'none' }
  | { readonly is: 'unsure'; readonly trouble: GleitzeitError };

export type LookupParts = {
  readonly web: Pick<WebClient, 'request'>;
  /** Where the agent was said to be: a base address, its endpoint, or its card itself. */
  readonly home: URL;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** Looks for a card wherever agents of all versions have one. */
export async function lookUpCard(parts: LookupParts, places: readonly CardPlace[]): Promise<Looked> {
  for (const place of places) {
    const looked = await lookAt(parts, place);
    if (looked.is === 'found' && !place.accepts(looked.found.card)) continue;
    if (looked.is !== 'none') return looked;
  }
  return { is: 'none' };
}

/** Asks again where a card was, and everywhere else where it is gone. */
export async function lookAgain(
  parts: LookupParts,
  places: readonly CardPlace[],
  { at, etag }: Found,
): Promise<Looked> {
  const looked = await lookAt(parts, { url: at, etag, was_there: true });
  return looked.is === 'none' ? lookUpCard(parts, places) : looked;
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

type Asked = { readonly url: URL; readonly etag?: string | null; readonly was_there?: boolean };

async function lookAt(parts: LookupParts, { url, etag = null, was_there = false }: Asked): Promise<Looked> {
  try {
    const first = await get(parts, url, { ...wireHeaders('1.0'), ...conditional(etag) });
    // An agent of an older version may take the header for a mistake.
    const answer =
      first.status === 400 || isRefusal(first) ? await get(parts, url, conditional(etag)) : first;
    return looked(answer, { at: url, was_there });
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

type Place = { readonly at: URL; readonly was_there: boolean };

function looked({ status, headers, body }: HttpResponse, { at, was_there }: Place): Looked {
  if (status === 304) return { is: 'unchanged' };
  // Nor does an agent that fails where its card was; others fail for every address that they do not know.
  if (away.includes(status) || (was_there && status >= 500)) {
    const where = `${at.origin}${at.pathname}`;
    const trouble = new GleitzeitError('GLZ2002', `the card of the agent at ${where} answers HTTP ${status}`);
    return { is: 'unsure', trouble };
  }
  if (status !== 200) return { is: 'none' };
  const read = readMessage(body, answerLimits.max_depth);
  if (!('value' in read) || !isCard(read.value)) return { is: 'none' };
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
