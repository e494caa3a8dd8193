import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Draft } from './draft.ts';
import { fillTexts } from './environment.ts';
import { leaveArgument } from './functions.ts';
import type { Secrets } from './secret.ts';
import { fillSecret, leaveSecret } from './secret-uses.ts';
import { readSecrets, type SecretParts } from './secrets.ts';

/** Sections in which something is filled in later than everywhere else. */
const laterIn = new Map([
  ['protocols', leaveSecret],
  ['agents', leaveSecret],
  ['functions', leaveArgument],
]);

/**
 * Fills in every `${…}` that can be filled in now: first in `secrets`, then these are read, then everywhere else. Each
 * text is gone through once.
 */
export async function fillConfig(
  value: JsonObject,
  draft: Draft,
  { env, in_force }: Pick<SecretParts, 'env' | 'in_force'>,
): Promise<{ readonly value: JsonObject; readonly secrets: Secrets }> {
  const { variables } = draft;
  const { report } = draft.checking;
  const filling = { env, variables, report, isPlain: draft.isPlain.bind(draft) };
  const later = ({ whole }: { readonly whole: string }) => whole;
  const section = fillTexts(value['secrets'] ?? null, ['secrets'], { ...filling, later });
  const secrets = await readSecrets(section, { ...filling, in_force, resolve: draft.resolve.bind(draft) });
  const uses = { secrets, declared: isObject(section) ? Object.keys(section) : [], report };
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => {
    if (key === 'secrets') return [key, section];
    const use = laterIn.get(key) ?? fillSecret;
    return [key, fillTexts(inner, [key], { ...filling, later: (part, path) => use(part, path, uses) })];
  });
  return { value: Object.fromEntries(entries), secrets };
}
