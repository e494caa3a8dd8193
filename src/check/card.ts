import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { FoundCard } from './card-lookup.ts';
import type { Evidence, Notice } from './finding.ts';
import type { Version } from './wires.ts';

/** Where a version can be spoken, as the card says. */
export type Endpoint = { readonly version: Version; readonly url: URL };

export type CardNews = {
  readonly endpoints: readonly Endpoint[];
  readonly streams: boolean;
  /** It says that it calls back. */
  readonly pushes: boolean;
  /** It says that there is a longer one for those who show who they are. */
  readonly extended: boolean;
  /** It says that callers have to show who they are. */
  readonly secured: boolean;
};

type Kind = 'text' | 'list' | 'object';

const common: Readonly<Record<string, Kind>> = {
  name: 'text',
  description: 'text',
  version: 'text',
  capabilities: 'object',
  defaultInputModes: 'list',
  defaultOutputModes: 'list',
  skills: 'list',
};

/** Holds a card against what cards must be, and says where the agent is to be called. */
export function lookAtCard({ card, evidence }: FoundCard, notice: Notice): CardNews {
  for (const [name, kind] of Object.entries(common)) {
    if (card[name] === undefined) notice('card-members', `The card has no ${name}.`, evidence);
    else if (!isKind(card[name], kind))
      notice('card-members', `${name} of the card is not ${words[kind]}.`, evidence);
  }
  for (const [name, value] of Object.entries(card))
    if (value === null && common[name] === undefined)
      notice('card-members', `${name} of the card is null.`, evidence);
  if (Array.isArray(card['skills'])) lookAtSkills(card['skills'], evidence, notice);
  const capabilities = isObject(card['capabilities']) ? card['capabilities'] : {};
  lookAtExtensions(capabilities['extensions'], evidence, notice);
  if (capabilities['streaming'] !== undefined && typeof capabilities['streaming'] !== 'boolean')
    notice('card-members', 'capabilities.streaming of the card is neither true nor false.', evidence);
  const wanted = [card['security'], card['securityRequirements']];
  return {
    endpoints: endpointsOf(card, evidence, notice),
    streams: capabilities['streaming'] === true,
    pushes: capabilities['pushNotifications'] === true,
    extended:
      capabilities['extendedAgentCard'] === true || card['supportsAuthenticatedExtendedCard'] === true,
    secured: wanted.some((each) => Array.isArray(each) && each.length > 0),
  };
}

const words: Readonly<Record<Kind, string>> = { text: 'a text', list: 'a list', object: 'an object' };

function isKind(value: Json | undefined, kind: Kind): boolean {
  if (kind === 'list') return Array.isArray(value);
  return kind === 'object' ? isObject(value) : typeof value === 'string' && value !== '';
}

function lookAtSkills(skills: readonly Json[], evidence: Evidence, notice: Notice): void {
  const ids = new Set<Json | undefined>();
  for (const skill of skills) {
    if (!isObject(skill)) {
      notice('card-skills', 'A skill is not an object.', evidence);
      continue;
    }
    for (const name of ['id', 'name', 'description'])
      if (!isKind(skill[name], 'text')) notice('card-skills', `A skill has no ${name}.`, evidence);
    if (!Array.isArray(skill['tags'])) notice('card-skills', 'A skill has no tags.', evidence);
    if (ids.has(skill['id']))
      notice('card-skills', `Two skills have the id ${JSON.stringify(skill['id'])}.`, evidence);
    ids.add(skill['id']);
  }
}

function lookAtExtensions(extensions: Json | undefined, evidence: Evidence, notice: Notice): void {
  if (!Array.isArray(extensions)) return;
  for (const extension of extensions)
    if (isObject(extension) && extension['required'] === true)
      notice('card-extensions', `It requires the extension ${String(extension['uri'])}.`, evidence);
}

type Named = {
  readonly url: Json | undefined;
  readonly transport: Json | undefined;
  readonly version: Json | undefined;
};

/** The addresses of a card of either version, and of both in one. */
function endpointsOf(card: JsonObject, evidence: Evidence, notice: Notice): readonly Endpoint[] {
  const named = [...newPlaces(card), ...oldPlaces(card)];
  if (named.length === 0) {
    notice('card-interfaces', 'The card names no address to call.', evidence);
    return [];
  }
  const spoken = named.filter(({ transport }) => transport === undefined || transport === 'JSONRPC');
  if (spoken.length === 0) notice('card-transport', 'The card names no address for JSON-RPC.', evidence);
  const found = new Map<Version, Endpoint>();
  for (const { url, version } of spoken) {
    const known = versionOf(version);
    if (known === null)
      notice(
        'card-version',
        `${JSON.stringify(version)} is no version of A2A that Gleitzeit speaks.`,
        evidence,
      );
    const address = typeof url === 'string' ? URL.parse(url) : null;
    if (address === null || !/^https?:$/.test(address.protocol))
      notice('card-url', `${JSON.stringify(url)} is not a whole address.`, evidence);
    else if (known !== null && !found.has(known)) found.set(known, { version: known, url: address });
  }
  return [...found.values()];
}

function newPlaces({ supportedInterfaces }: JsonObject): Named[] {
  if (!Array.isArray(supportedInterfaces)) return [];
  return supportedInterfaces
    .filter(isObject)
    .filter(({ url }) => url !== undefined)
    .map((place) => ({
      url: place['url'],
      transport: place['protocolBinding'],
      version: place['protocolVersion'],
    }));
}

function oldPlaces({ url, preferredTransport, additionalInterfaces, protocolVersion }: JsonObject): Named[] {
  const version = protocolVersion ?? '0.3';
  const more = Array.isArray(additionalInterfaces) ? additionalInterfaces.filter(isObject) : [];
  const first = url === undefined ? [] : [{ url, transport: preferredTransport, version }];
  return [...first, ...more.map((place) => ({ url: place['url'], transport: place['transport'], version }))];
}

function versionOf(version: Json | undefined): Version | null {
  if (typeof version !== 'string') return null;
  if (/^0\.[23](\.\d+)?$/.test(version)) return '0.3';
  return /^1\.\d+(\.\d+)?$/.test(version) ? '1.0' : null;
}
