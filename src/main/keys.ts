import { roles } from '../api/roles.ts';
import { GleitzeitError } from '../core/errors.ts';
import { didYouMean } from '../core/suggest.ts';
import { systemRandom } from '../embedded/system.ts';
import { createKey, type KeyEntry } from '../server/access/keys.ts';

/** A key for callers of the API, to be shown once, and the entry the configuration keeps of it. */
export function newKey(name: string, role: string): { key: string; entry: KeyEntry } {
  const known = roles.find((one) => one === role);
  if (known === undefined) {
    throw new GleitzeitError('GLZ1012', `there is no role "${role}"`, {
      field: 'role',
      hint: didYouMean(role, roles, 'roles'),
    });
  }
  return createKey(name, known, systemRandom());
}
