import { refuseCircle, wholeMethods } from '../core/lineage.ts';
import type { ProtocolDefinition } from '../core/protocol.ts';
import type { Path } from '../files/path.ts';
import { type DefinitionParts, readDefinition, type WrittenEntry } from './definitions.ts';
import type { ProtocolPool } from './pool.ts';
import { checkProtocolPool, protocolPoolOf } from './pool-rules.ts';
import { type ProviderConfig, type ProviderParts, providerIds, readProvider } from './providers.ts';
import type { CheckedConfig, WrittenProtocol } from './schema.ts';
import { told } from './told.ts';

export type ProtocolConfig = ProtocolPool & {
  readonly name: string;
  readonly definition: ProtocolDefinition;
  /** Whether it is written out in the file, or the library's. */
  readonly inline: boolean;
  readonly providers: readonly ProviderConfig[];
};

export type ProtocolParts = DefinitionParts & ProviderParts;

/** Entries that do not fit the schema are passed over: of these somebody has been told. */
export function readProtocols(
  written: CheckedConfig['protocols'],
  parts: ProtocolParts,
  isSound: (path: Path) => boolean,
): ProtocolConfig[] {
  const entries = entriesOf(written).filter(({ path }) => isSound(path));
  const nextId = providerIds(entries, parts.checking);
  const read = entries.map((one) => ({ ...one, definition: readDefinition(one, parts) }));
  const defined = read.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
  const get = (name: string) =>
    defined.find((definition) => definition.name === name) ?? parts.library.get(name);
  const names = new Set<string>();
  return read.flatMap(({ entry, path, definition }) => {
    if (definition !== undefined) {
      const at = entry.protocol === undefined ? path : [...path, 'protocol'];
      told(at, parts.checking, () => refuseCircle(definition, get));
    }
    checkProtocolPool(entry, path, parts.checking);
    const key = entry.limits?.per_key?.key;
    if (definition !== undefined && key !== undefined)
      told([...path, 'limits', 'per_key', 'key'], parts.checking, () =>
        parts.check_key?.(key, wholeMethods(definition, get)),
      );
    const protocol =
      definition === undefined
        ? null
        : { name: definition.name, methods: Object.keys(wholeMethods(definition, get)) };
    const providers = entry.providers.map((provider, index) => {
      const place = {
        protocol,
        path: [...path, 'providers', index],
        id: provider.id ?? nextId(provider.type),
      };
      return readProvider(provider, place, parts);
    });
    if (definition === undefined) return [];
    if (names.has(definition.name)) {
      const message = `the protocol "${definition.name}" stands twice`;
      const hint = 'put all of its providers under one entry';
      parts.checking.report({ path: [...path, 'name'], part: 'value', message, hint });
    }
    names.add(definition.name);
    const inline = entry.methods !== undefined || entry.protocol !== undefined;
    return [{ name: definition.name, definition, inline, providers, ...protocolPoolOf(entry) }];
  });
}

function entriesOf(written: CheckedConfig['protocols']): WrittenEntry[] {
  if (isList(written))
    return written.map((entry, index) => ({ entry, path: ['protocols', index], key: null }));
  return Object.entries(written).map(([key, entry]) => ({ entry, path: ['protocols', key], key }));
}

function isList(written: CheckedConfig['protocols']): written is readonly WrittenProtocol[] {
  return Array.isArray(written);
}
