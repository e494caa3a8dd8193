import type { Cipher } from '../core/ports/cipher.ts';
import type { RouteRequest } from '../core/ports/router.ts';
import { secretForms } from '../core/secret-forms.ts';
import { shows } from '../core/secret-readings.ts';
import { MASK } from '../core/secrets.ts';

/**
 * What a call may be told apart by is shown to people and stays in the store: where a secret of the call stands there, a mark takes its
 * place, the same on every engine and for nobody else to make.
 */
export function shownKeys(
  secrets: readonly string[],
  cipher: Pick<Cipher, 'mark'>,
): Pick<RouteRequest, 'shown'> {
  if (secrets.length === 0) return {};
  return {
    shown: (text) => (shows(text, secrets.flatMap(secretForms)) ? `${MASK} ${cipher.mark(text)}` : text),
  };
}
