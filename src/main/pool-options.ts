import { checkProtocolOptions, checkProviderOptions, type ProviderPool } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type Json, own } from '../core/json.ts';
import { toJson } from '../core/json-safe.ts';
import { protocolPoolWords, providerPoolWords, wordsIn } from '../embedded/pool-options.ts';
import { invalidOption } from '../engine/check-options.ts';
import { type Path, showPath, stepsOf } from '../files/path.ts';
import type { Protocols } from '../registry/protocols.ts';
import type { PoolSettings, ProviderSettings } from '../router/settings.ts';
import { type GivenSettings, poolSettings, providerSettings } from './pool-settings.ts';
import { checkKey } from './protocols.ts';

export type WrittenPools = {
  readonly protocols: readonly { readonly name: string }[];
  readonly providers: readonly { readonly id: string }[];
};

/** By the names of protocols, and the ids of providers. */
export type ReadPools = {
  readonly protocols: ReadonlyMap<string, PoolSettings>;
  readonly providers: ReadonlyMap<string, ProviderSettings>;
};

/** What a program says of its pools, in their own words. Throws GLZ1012 with the name of the option. */
export function readPools({ protocols, providers }: WrittenPools): ReadPools {
  return {
    protocols: new Map(protocols.map((given, index) => [given.name, readProtocol(given, index)])),
    providers: new Map(providers.map((given, index) => [given.id, readProvider(given, index)])),
  };
}

/** Throws GLZ1012 for a key that its protocol marks as secret. */
export function refuseSecretKeys(
  { protocols: settings }: Pick<ReadPools, 'protocols'>,
  protocols: Pick<Protocols, 'get'>,
): void {
  for (const [index, [name, { per_key }]] of [...settings].entries()) {
    const methods = protocols.get(name)?.methods;
    if (per_key === null || methods === undefined) continue;
    try {
      checkKey(per_key.key, methods);
    } catch (thrown) {
      const { message, details } = GleitzeitError.from(thrown);
      throw invalidOption(showPath(['protocols', index, 'limits', 'per_key', 'key']), message, details.hint);
    }
  }
}

function readProtocol(given: object, index: number): PoolSettings {
  const path = ['protocols', index];
  return poolSettings(checkProtocolOptions(said(given, protocolPoolWords, path), { path, report }));
}

function readProvider(given: object, index: number): ProviderSettings {
  const path = ['providers', index];
  const written = said(given, providerPoolWords, path);
  const pool = checkProviderOptions(written, { path, report });
  return providerSettings(asManyAsCome(pool, written), null);
}

/** A configuration fills in how many calls a provider gets at once; a program that says nothing of it means any number. */
function asManyAsCome({ limits, ...pool }: ProviderPool, written: Json): GivenSettings {
  const given = isObject(written) ? own(written, 'limits') : undefined;
  if (limits === undefined || (isObject(given) && own(given, 'concurrency') !== undefined))
    return { ...pool, limits };
  const { concurrency: _, ...rates } = limits;
  return { ...pool, limits: rates };
}

function said(given: object, words: readonly string[], path: Path): Json {
  try {
    return toJson(wordsIn(given, words), 'GLZ1012', '');
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    const steps = stepsOf(details.field ?? '').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    throw invalidOption(showPath([...path, ...steps]), details.reason ?? message);
  }
}

type Finding = Parameters<Parameters<typeof checkProviderOptions>[1]['report']>[0];

function report({ path, message, found, hint }: Finding): never {
  const what = typeof found === 'string' ? `${message}, found ${found}` : message;
  throw invalidOption(showPath(path), what, hint ?? undefined);
}
