import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import { troubleOf } from './answer.ts';
import type { Carrier } from './carrier.ts';
import { modernHeaders, type Self, withMeta } from './envelope.ts';
import { eraFrom, type Verdict } from './era.ts';
import { NEWEST, NEWEST_WITH_SESSION, sessionRevisions } from './revisions.ts';
import { errorIn, type Said } from './said.ts';

/** How the server is spoken to from now on. */
export type Ready =
  | { readonly era: 'modern'; readonly version: string }
  | {
      readonly era: 'session';
      readonly version: string;
      readonly session: string | null;
      /** Of the carrier, when it was begun. */
      readonly life: number;
      readonly capabilities: JsonObject;
    };

export type Handshake = {
  readonly carrier: Carrier;
  readonly self: Self;
  readonly signal: AbortSignal;
  /** A new one for each message. */
  readonly nextId: () => string;
};

/** Asks a server what it is. Rejects where nobody can be asked, or the answer says nothing about the era. */
export async function discover(shake: Handshake): Promise<Verdict> {
  let version = NEWEST;
  for (let round = 0; ; round++) {
    const said = await probe(shake, version);
    const verdict = eraFrom(said, version);
    if (verdict.is === 'unclear') throw troubleOf(said, '');
    if (verdict.is !== 'again') return verdict;
    // A server that refuses what it has just offered is not asked for ever.
    if (round === 1) throw troubleOf(said, '');
    version = verdict.version;
  }
}

function probe({ carrier, self, signal, nextId }: Handshake, version: string): Promise<Said> {
  const method = 'server/discover';
  return carrier.send({
    id: nextId(),
    method,
    params: withMeta({}, { version, self, token: null }),
    headers: modernHeaders(method, {}, version),
    signal,
    heard: () => {},
  });
}

/** `refused` with what the server said: nothing at this address begins a session. */
export type Begun = Ready | { readonly refused: Said };

/** Begins a session: `initialize`, and word that it has arrived. */
export async function initialize(shake: Handshake, asked = NEWEST_WITH_SESSION): Promise<Begun> {
  const { carrier, self, signal } = shake;
  const { life } = carrier;
  const params = { protocolVersion: asked, capabilities: self.capabilities, clientInfo: self.info };
  const said = await carrier.send({
    id: shake.nextId(),
    method: 'initialize',
    params,
    headers: {},
    signal,
    heard: () => {},
  });
  if (said.answer === null || errorIn(said) !== null) return { refused: said };
  const result = 'result' in said.answer ? said.answer.result : null;
  const version = isObject(result) ? own(result, 'protocolVersion') : undefined;
  if (typeof version !== 'string' || !sessionRevisions.includes(version)) throw unknownVersion(version);
  const capabilities = isObject(result) ? own(result, 'capabilities') : undefined;
  const ready: Ready & { era: 'session' } = {
    era: 'session',
    version,
    session: said.session,
    life,
    capabilities: isObject(capabilities) ? capabilities : {},
  };
  const initialized = { method: 'notifications/initialized', params: {} };
  await carrier.notify(initialized, { headers: sessionHeaders(ready), signal });
  return ready;
}

export function sessionHeaders(ready: Ready & { era: 'session' }): Record<string, string> {
  return {
    // Revisions before it do not know the header.
    ...(ready.version >= '2025-06-18' ? { 'mcp-protocol-version': ready.version } : {}),
    ...(ready.session === null ? {} : { 'mcp-session-id': ready.session }),
  };
}

function unknownVersion(version: unknown): GleitzeitError {
  const reason = `it wants revision ${JSON.stringify(version ?? null)}; here there are ${sessionRevisions.join(', ')}`;
  return new GleitzeitError('GLZ2010', `the MCP server speaks a revision that is not known here: ${reason}`, {
    reason,
  });
}
