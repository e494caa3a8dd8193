import {
  AGENT_MASK,
  type AgentEntry,
  type AgentPool,
  type AgentRow,
  type AgentSettings,
  type NewAgent,
} from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import { mapPointers, mapSealed, maySeal, SEALED } from '../core/secrets.ts';
import { secretPlaces } from './agent-auth.ts';

/** Where secrets stand in an entry, by its member. */
type Secretive = Pick<AgentSettings, 'auth_config' | 'protocol_config'>;

/** The same entry with `change` in the place of each secret. */
function mapSecrets<Entry extends Secretive>(
  entry: Entry,
  change: (found: Json, name: string) => Json,
): Entry {
  let count = 0;
  const each = (found: Json) => change(found, `agent_${count++}`);
  const { auth_config, protocol_config } = entry;
  return {
    ...entry,
    auth_config: mapPointers(auth_config, secretPlaces.auth(auth_config), each),
    protocol_config: mapPointers(protocol_config, secretPlaces.config, each),
  };
}

/** As people are shown it. */
export function maskAgent<Entry extends Secretive>(entry: Entry): Entry {
  return mapSecrets(entry, () => AGENT_MASK);
}

/**
 * Secrets sealed by the newest key. `***` stands for what the entry before had in the same place; that is only so where the
 * agent is shown who calls in the same way as before.
 */
export function sealAgent(cipher: Cipher, entry: AgentSettings, before: AgentEntry | null): AgentSettings {
  const kept = before === null ? [] : secretsIn(before).filter((one) => isComparable(entry, before, one));
  let place = 0;
  const places = secretsIn(entry);
  return mapSecrets(entry, (found) => {
    const at = places[place++]?.at ?? '';
    if (isSealed(found)) return { [SEALED]: renewed(cipher, found[SEALED]) };
    if (found !== AGENT_MASK) return { [SEALED]: cipher.seal(JSON.stringify(found)) };
    const old = kept.find((one) => one.at === at)?.value;
    if (isSealed(old)) return { [SEALED]: renewed(cipher, old[SEALED]) };
    throw new GleitzeitError(
      'GLZ1012',
      `${at}: ${AGENT_MASK} stands for the secret that is there, and there is none`,
      {
        field: at,
        reason: `${AGENT_MASK} stands for the secret that is there, and there is none`,
        hint: 'give the secret itself',
      },
    );
  });
}

function isComparable(entry: AgentSettings, before: AgentSettings, { at }: { readonly at: string }): boolean {
  return !at.startsWith('/auth_config') || entry.auth_config.type === before.auth_config.type;
}

type SecretAt = { readonly at: string; readonly value: Json };

function secretsIn(entry: Secretive): SecretAt[] {
  const { headers } = entry.protocol_config;
  const named = isObject(headers) ? Object.entries(headers) : [];
  return [
    ...secretPlaces
      .auth(entry.auth_config)
      .map((at) => ({ at: `/auth_config${at}`, value: entry.auth_config[at.slice(1)] ?? null }))
      .filter(({ at }) => Object.hasOwn(entry.auth_config, at.slice('/auth_config/'.length))),
    ...named.map(([name, value]) => ({ at: `/protocol_config/headers/${name}`, value: value ?? null })),
  ];
}

function isSealed(value: Json | undefined): value is { readonly [SEALED]: string } {
  return isObject(value) && typeof value[SEALED] === 'string';
}

function renewed(cipher: Cipher, sealed: string): string {
  return cipher.isCurrent(sealed) ? sealed : cipher.seal(cipher.open(sealed));
}

/** Whether some secret of it was sealed by a key that has been replaced. */
export function isOutdated(cipher: Cipher, { settings, protocol_config }: AgentRow): boolean {
  let outdated = false;
  for (const text of [settings, protocol_config].filter(maySeal))
    mapSealed(JSON.parse(text) as Json, (sealed) => {
      outdated ||= !cipher.isCurrent(sealed);
      return null;
    });
  return outdated;
}

/**
 * What a provider is told in the place of secrets, `${secrets.agent_0}`, and those by their names. Entries of files name
 * theirs themselves.
 */
export function openable(
  cipher: Cipher,
  entry: AgentEntry,
): { readonly entry: AgentEntry; readonly secrets: Readonly<Record<string, () => string>> } {
  const secrets: Record<string, () => string> = {};
  const open = mapSecrets(entry, (found, name) => {
    if (!isSealed(found)) return found;
    secrets[name] = () => String(JSON.parse(cipher.open(found[SEALED])));
    return `\${secrets.${name}}`;
  });
  return { entry: open, secrets };
}

/** An entry without what only the registry says of it. */
export function settingsOf(entry: AgentEntry): AgentSettings {
  const {
    id: _,
    source: _source,
    version: _version,
    created_at: _at,
    updated_at: _later,
    ...settings
  } = entry;
  return settings;
}

export function rowOf(id: string, settings: AgentSettings): NewAgent {
  const { name, url, description, protocol, protocol_config, ...rest } = settings;
  return {
    id,
    name,
    url,
    description,
    protocol,
    protocol_config: JSON.stringify(protocol_config),
    settings: JSON.stringify(rest),
  };
}

type Rest = AgentPool &
  Pick<
    AgentSettings,
    | 'implements'
    | 'auth_config'
    | 'timeout'
    | 'retry_config'
    | 'circuit_breaker_config'
    | 'health_config'
    | 'via'
  >;

/** Throws where somebody else wrote into the table what none of us would have. */
export function entryOf({ settings, protocol_config, ...row }: AgentRow): AgentEntry {
  return {
    ...row,
    ...(JSON.parse(settings) as Rest),
    protocol_config: JSON.parse(protocol_config) as JsonObject,
    source: 'api',
  };
}
