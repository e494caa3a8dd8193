import type { JsonObject } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { didYouMean } from '../core/suggest.ts';
import { type Checking, checkValue } from '../files/check.ts';
import type { Path } from '../files/path.ts';
import type { WrittenEntry } from './definitions.ts';
import type { ProviderPool } from './pool.ts';
import { checkProviderPool, providerPoolOf, takeModels } from './pool-rules.ts';
import type { WrittenProvider } from './schema.ts';
import { told } from './told.ts';

export type ProviderConfig = ProviderPool & {
  readonly id: string;
  readonly type: string;
  readonly config: JsonObject;
};

export type ProviderParts = {
  readonly checking: Checking;
  /** Schemas of `config` by `type`; without them neither is checked. */
  readonly provider_types?: Readonly<Record<string, JsonSchema>> | undefined;
  /** Further demands on a provider, with the methods of its protocol. What it throws is told with its place. */
  readonly check_provider?: CheckProvider | undefined;
};

export type CheckProvider = (
  provider: ProviderConfig & { readonly protocol: string },
  methods: readonly string[],
) => void;

/** Gives ids to providers that have none, and sees to it that none stands twice. */
export function providerIds(entries: readonly WrittenEntry[], checking: Checking): (type: string) => string {
  const taken = new Set<string>();
  for (const { entry, path } of entries) {
    for (const [index, { id }] of entry.providers.entries()) {
      if (id === undefined) continue;
      if (taken.has(id)) {
        const at = [...path, 'providers', index, 'id'];
        const hint = 'every provider has its own, whatever its protocol';
        checking.report({ path: at, part: 'value', message: `the provider id "${id}" stands twice`, hint });
      }
      taken.add(id);
    }
  }
  const numbers = new Map<string, number>();
  return (type) => {
    let number = numbers.get(type) ?? 0;
    do number += 1;
    while (taken.has(`${type}-${number}`));
    numbers.set(type, number);
    return `${type}-${number}`;
  };
}

export type ProviderPlace = {
  /** Null where the protocol could not be read. */
  readonly protocol: { readonly name: string; readonly methods: readonly string[] } | null;
  readonly path: Path;
  readonly id: string;
};

export function readProvider(
  written: WrittenProvider,
  place: ProviderPlace,
  parts: ProviderParts,
): ProviderConfig {
  const { type } = written;
  const schema = schemaOf(type, place.path, parts);
  let fits = schema !== undefined;
  const report: Checking['report'] = (finding) => {
    fits = false;
    parts.checking.report(finding);
  };
  const checking = { ...parts.checking, report };
  const { config: given, models } = takeModels(written, place.path, checking);
  checkProviderPool(written, place.path, checking);
  const config = checkValue(schema ?? true, given, [...place.path, 'config'], checking) as JsonObject;
  const pool = { ...providerPoolOf(written), ...(models === undefined ? {} : { models: [...models] }) };
  const provider = { id: place.id, type, config, ...pool };
  if (fits && place.protocol !== null && parts.check_provider !== undefined) {
    const { name, methods } = place.protocol;
    told(place.path, checking, () => parts.check_provider?.({ ...provider, protocol: name }, methods));
  }
  return provider;
}

function schemaOf(
  type: string,
  path: Path,
  { provider_types, checking }: ProviderParts,
): JsonSchema | undefined {
  if (provider_types === undefined) return undefined;
  if (Object.hasOwn(provider_types, type)) return provider_types[type];
  const message = `there is no provider type ${JSON.stringify(type)}`;
  const hint = didYouMean(type, Object.keys(provider_types), 'known types');
  checking.report({ path: [...path, 'type'], part: 'value', message, hint });
  return undefined;
}
