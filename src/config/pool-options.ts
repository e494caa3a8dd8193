import type { Json } from '../core/json.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import { checkValue } from '../files/check.ts';
import type { Finding } from '../files/parsed.ts';
import type { Path } from '../files/path.ts';
import { type ProtocolPool, type ProviderPool, protocolPoolKeys, providerPoolKeys } from './pool.ts';
import { checkHealthPath, checkProtocolPool, checkProviderPool } from './pool-rules.ts';
import { item } from './words.ts';

type Place = { readonly path: Path; readonly report: (finding: Finding) => void };

/** What a program says of a protocol's pool, held against what a configuration may say. */
export function checkProtocolOptions(given: Json, { path, report }: Place): ProtocolPool {
  const pool = checked(protocolPoolKeys, given, { path, report }) as ProtocolPool;
  checkProtocolPool(pool, path, { report });
  return pool;
}

/** The same of a provider that runs in the process: there is no host to be asked for a page. */
export function checkProviderOptions(given: Json, { path, report }: Place): ProviderPool {
  const pool = checked(providerPoolKeys, given, { path, report }) as ProviderPool;
  checkProviderPool(pool, path, { report });
  checkHealthPath(pool, { path, config: {} }, { report });
  return pool;
}

function checked(keys: typeof providerPoolKeys | typeof protocolPoolKeys, given: Json, place: Place): Json {
  return checkValue(item('', keys) as unknown as JsonSchema, given, place.path, place);
}
