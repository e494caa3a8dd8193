import { type Config, openSecret } from '../config.ts';
import type { AgentEntry } from '../core/agent.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import { mapSealed } from '../core/secrets.ts';

/** An entry with its secrets in the clear, for bridges that have no store to read them from. */
export function revealAgent(config: Config, cipher: Cipher, entry: AgentEntry): AgentEntry {
  const opened = (value: JsonObject) =>
    mapSealed(value, (sealed) => JSON.parse(cipher.open(sealed)) as Json) as JsonObject;
  // Only those of a file name secrets of the configuration: what came over the API is meant as it is.
  const shown = (value: JsonObject) =>
    entry.source === 'file' ? (filled(value, config) as JsonObject) : opened(value);
  const { auth_config, protocol_config } = entry;
  return {
    ...entry,
    auth_config: { ...shown(auth_config), type: auth_config.type },
    protocol_config: shown(protocol_config),
  };
}

function filled(value: Json, config: Config): Json {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{secrets\.([\w-]+)\}/g, (_, name: string) =>
      openSecret(config.secrets, name),
    );
  if (Array.isArray(value)) return value.map((item: Json) => filled(item, config));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, config)]));
}
