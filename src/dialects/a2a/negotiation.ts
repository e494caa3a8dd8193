import { GleitzeitError } from '../../core/errors.ts';
import { isObject, own } from '../../core/json.ts';
import { METHOD_NOT_FOUND } from '../../rpc/messages.ts';
import type { Cards, Known } from './cards.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import type { AgentCard } from './wire/card.ts';
import { VERSION_NOT_SUPPORTED } from './wire/errors.ts';
import { type WireVersion, wireVersions } from './wire/model.ts';

export type NegotiationParts = {
  readonly cards: Cards;
  /** Where the agent is spoken to if no card says otherwise. */
  readonly home: URL;
  /** Null where it is found out. */
  readonly version: WireVersion | null;
  /** Extensions that are switched on with every request. */
  readonly extensions: readonly string[];
};

/** How an agent is spoken to, as far as it is known. */
export type Route = {
  readonly endpoint: Endpoint;
  /** What its card says; neither where it has none. */
  readonly streaming: boolean;
  readonly push: boolean;
};

/** Which wire an agent speaks: as its card says, until the agent itself says otherwise. Cards lie. */
export class Negotiation {
  readonly #parts: NegotiationParts;
  /** What it was found to speak, against its card or without one. */
  #learned: WireVersion | null = null;

  constructor(parts: NegotiationParts) {
    this.#parts = parts;
  }

  /**
   * Makes the first request of a conversation, or of an attempt that goes on with one in the version it was `spoken` in; and
   * where the agent did not understand it at all, once more on the other wire.
   */
  async begin<Made>(
    signal: AbortSignal,
    made: (route: Route) => Promise<Made>,
    spoken?: WireVersion,
  ): Promise<Made> {
    const known = await this.#parts.cards.known(signal);
    const [first, other] = this.#routes(known, spoken);
    try {
      return await made(first);
    } catch (thrown) {
      if (known.is === 'unsure' && isNotThere(thrown)) throw known.trouble;
      if (other === null || !isOtherWire(thrown, first.endpoint.version)) throw thrown;
      const answer = await made(other).catch((again: unknown) => {
        throw isOtherWire(again, other.endpoint.version) ? thrown : again;
      });
      this.#learned = other.endpoint.version;
      return answer;
    }
  }

  #routes(known: Known, spoken?: WireVersion): [Route, Route | null] {
    const { home, version: asked, extensions } = this.#parts;
    const card = known.is === 'found' ? known.found.card : null;
    const listed = card === null ? [] : endpointsOf(card, home);
    if (card !== null) refuseUnknown(card.extensions, extensions);
    if (card !== null && listed.length === 0 && card.interfaces.length > 0)
      throw unspeakable(card.interfaces);
    const version = spoken ?? asked ?? this.#learned ?? listed[0]?.version ?? '0.3';
    const capable = { streaming: card?.streaming === true, push: card?.push_notifications === true };
    const route = (wanted: WireVersion): Route => ({
      ...capable,
      endpoint: endpointIn(listed, wanted, home),
    });
    const [other = null] = asked === null ? wireVersions.filter((one) => one !== version) : [];
    return [route(version), other === null ? null : route(other)];
  }
}

function endpointIn(listed: readonly Endpoint[], version: WireVersion, home: URL): Endpoint {
  const found = listed.find((one) => one.version === version);
  if (found !== undefined) return found;
  // Nothing is said of this wire: if it is spoken, then where the other one is.
  const [best] = listed;
  return best === undefined ? { url: home, version } : { ...best, version };
}

/** The agent says that this method or version is nothing to it: certainly nothing was done. */
function isOtherWire(thrown: unknown, version: WireVersion): boolean {
  if (!(thrown instanceof GleitzeitError)) return false;
  const { remote_code } = thrown.details;
  if (remote_code === METHOD_NOT_FOUND || remote_code === VERSION_NOT_SUPPORTED) return true;
  return version === '1.0' && isNotThere(thrown);
}

function isNotThere(thrown: unknown): boolean {
  const details = thrown instanceof GleitzeitError ? thrown.details.details : undefined;
  return isObject(details) && [404, 405].includes(Number(own(details, 'http_status')));
}

type Extension = { readonly uri: string; readonly required: boolean };

/** What it requires changes what messages mean: without it the agent would refuse them, or take them for others. */
function refuseUnknown(declared: readonly Extension[], known: readonly string[]): void {
  const missing = declared
    .filter(({ uri, required }) => required && !known.includes(uri))
    .map(({ uri }) => uri);
  if (missing.length === 0) return;
  const words = missing.length === 1 ? 'an extension' : 'extensions';
  throw new GleitzeitError('GLZ2010', `the agent requires ${words} of A2A: ${missing.join(', ')}`, {
    reason: 'its card says that callers without it are refused',
    hint: 'list it under `extensions` in the protocol_config of the agent if messages to it follow its rules',
  });
}

function unspeakable(interfaces: AgentCard['interfaces']): GleitzeitError {
  const lost = interfaces.filter(({ binding }) => binding === 'JSONRPC').map(({ url }) => url);
  const spoken = [...new Set(interfaces.map(({ binding }) => binding))].join(', ');
  const said =
    lost.length > 0
      ? `the card of the agent names no address that can be called: ${lost.join(', ').slice(0, 200)}`
      : `the agent speaks no JSON-RPC: its card lists only ${spoken}`;
  return new GleitzeitError('GLZ2010', said, {
    hint: 'give the address that takes JSON-RPC as `url` and set `card: none`, if it has one',
  });
}
