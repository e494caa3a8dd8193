import type { Caller, HttpRequest } from '../../rpc/listener/route.ts';
import { type KeyEntry, keyReader } from './keys.ts';
import type { Tickets } from './tickets.ts';

/** Longer than any key or ticket: hashing megabytes for whoever sends them would be a gift. */
const LONGEST = 256;

/**
 * Who sends a request: by its key, or by a ticket in the query. Null where neither is known. Keys may come and go; where
 * there are none at first there is nothing to ask for.
 */
export function authenticator(
  keys: () => readonly KeyEntry[],
  tickets: Tickets,
): ((request: HttpRequest) => Caller | null) | undefined {
  let known = keys();
  let whose = keyReader(known);
  if (known.length === 0) return undefined;
  return ({ method, headers, query }) => {
    const now = keys();
    if (now !== known) {
      known = now;
      whose = keyReader(now);
    }
    const [, key] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (key !== undefined) return key.length > LONGEST ? null : whose(key);
    const ticket = method === 'GET' ? query.get('ticket') : null;
    const caller = ticket === null || ticket.length > LONGEST ? null : tickets.redeem(ticket);
    // It stood for a key that may be gone by now.
    return known.some(({ name, role }) => name === caller?.name && role === caller.role) ? caller : null;
  };
}
