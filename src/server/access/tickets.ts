import { createHash } from 'node:crypto';
import type { Clock } from '../../core/ports/clock.ts';
import type { Random } from '../../core/ports/random.ts';
import type { Caller } from '../../rpc/listener/route.ts';

export type Ticket = { readonly ticket: string; readonly expires_at: number };

type Issued = { readonly caller: Caller; readonly until: number };

const LIFE_MS = 30_000;
/** Of one caller; the oldest gives way, so that nobody can use up what others need. */
const MOST = 64;
const BYTES = 32;

/**
 * Stand-ins for a key where a browser cannot send one: short-lived, each good for one connection. Only hashes are kept,
 * and the lookup by hash tells nothing about what was nearly right.
 */
export class Tickets {
  readonly #parts: { readonly clock: Clock; readonly random: Random };
  /** By caller, then by the hash of the ticket, oldest first. */
  readonly #issued = new Map<string, Map<string, Issued>>();

  constructor(parts: { readonly clock: Clock; readonly random: Random }) {
    this.#parts = parts;
  }

  issue(caller: Caller): Ticket {
    const { clock, random } = this.#parts;
    const ticket = `glzt_${Buffer.from(random.bytes(BYTES)).toString('base64url')}`;
    const theirs = this.#issued.get(caller.name) ?? new Map<string, Issued>();
    this.#issued.set(caller.name, theirs);
    this.#dropOld(theirs);
    theirs.set(hash(ticket), { caller, until: clock.monotonic() + LIFE_MS });
    return { ticket, expires_at: clock.wall() + LIFE_MS };
  }

  /** Whom it stands for. It is used up by asking. */
  redeem(ticket: string): Caller | null {
    const key = hash(ticket);
    for (const theirs of this.#issued.values()) {
      const found = theirs.get(key);
      if (found === undefined) continue;
      theirs.delete(key);
      return found.until > this.#parts.clock.monotonic() ? found.caller : null;
    }
    return null;
  }

  #dropOld(theirs: Map<string, Issued>): void {
    const now = this.#parts.clock.monotonic();
    for (const [key, { until }] of theirs) {
      if (until > now && theirs.size < MOST) return;
      theirs.delete(key);
    }
  }
}

function hash(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64');
}
