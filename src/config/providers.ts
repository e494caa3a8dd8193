import { isObject, type JsonObject } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { didYouMean } from '../core/suggest.ts';
import { type Checking, checkValue } from '../files/check.ts';
import type { Path } from '../files/path.ts';
import type { WrittenEntry } from './definitions.ts';
import type { ProviderPool } from './pool.ts';
import { checkHealthPath, checkProviderPool, providerPoolOf, takeModels } from './pool-rules.ts';
import { fillPreset } from './presets/fill.ts';
import type { Preset } from './presets/preset.ts';
import type { Presets } from './presets/presets.ts';
import type { WrittenProvider } from './schema.ts';
import { told } from './told.ts';

export type ProviderConfig = ProviderPool & {
  readonly id: string;
  readonly type: string;
  readonly config: JsonObject;
  /** What the type and its configuration come down to, where the type is made of another. */
  readonly over?: Service;
};

type Service = { readonly type: string; readonly config: JsonObject };

/** The type that really speaks to the service, and what it is told. */
export function serviceOf({ type, config, over }: Service & { readonly over?: Service }): Service {
  return over ?? { type, config };
}

export type ProviderParts = {
  readonly checking: Checking;
  /** Schemas of `config` by `type`; without them neither is checked. */
  readonly provider_types?: Readonly<Record<string, JsonSchema>> | undefined;
  /** Types that are made of others. */
  readonly presets?: Presets | undefined;
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
  const preset = presetOf(type, place, parts);
  const schema = preset?.schema ?? schemaOf(type, place.path, parts);
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
  const over =
    preset === undefined || !fits
      ? undefined
      : { type: preset.dialect, config: withMethods(fillPreset(preset.use, config), place.protocol) };
  const provider = { id: place.id, type, config, ...(over === undefined ? {} : { over }), ...pool };
  checkHealthPath(written, { path: place.path, config: serviceOf(provider).config }, checking);
  if (fits && place.protocol !== null && parts.check_provider !== undefined) {
    const { name, methods } = place.protocol;
    const checked = { ...provider, ...serviceOf(provider), protocol: name };
    told(place.path, checking, () => parts.check_provider?.(checked, methods));
  }
  return provider;
}

/** A type may implement several protocols: of its methods those are left that this one has. */
function withMethods(config: JsonObject, protocol: ProviderPlace['protocol']): JsonObject {
  const written = config['methods'];
  if (protocol === null || !isObject(written)) return config;
  const methods = Object.entries(written).filter(([name]) => protocol.methods.includes(name));
  return { ...config, methods: Object.fromEntries(methods) };
}

function presetOf(
  type: string,
  { protocol, path }: ProviderPlace,
  { presets, checking }: ProviderParts,
): Preset | undefined {
  const preset = presets?.get(type);
  if (preset === undefined || protocol === null || preset.protocols.length === 0) return preset;
  if (preset.protocols.includes(protocol.name)) return preset;
  const message = `${type} does not implement ${protocol.name}`;
  const hint = `it implements ${preset.protocols.join(' and ')}`;
  checking.report({ path: [...path, 'type'], part: 'value', message, hint });
  return preset;
}

function schemaOf(
  type: string,
  path: Path,
  { provider_types, presets, checking }: ProviderParts,
): JsonSchema | undefined {
  if (provider_types === undefined) return undefined;
  if (Object.hasOwn(provider_types, type)) return provider_types[type];
  const message = `there is no provider type ${JSON.stringify(type)}`;
  const hint = didYouMean(type, [...Object.keys(provider_types), ...(presets?.names() ?? [])], 'known types');
  checking.report({ path: [...path, 'type'], part: 'value', message, hint });
  return undefined;
}
