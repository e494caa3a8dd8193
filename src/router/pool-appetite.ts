import { type Appetite, appetiteOf } from '../core/pool/appetite.ts';
import { isLeftInPeace, type Line, lineKinds } from '../core/ports/router.ts';
import { protocolLine } from './doors.ts';
import type { Gate } from './gate.ts';
import type { Member } from './member.ts';
import type { MemberLines } from './member-lines.ts';
import type { PoolLines } from './pool-lines.ts';
import { LONG } from './waiting-line.ts';

export type PoolAppetiteParts = {
  readonly pool: {
    readonly protocol: string;
    readonly gate: Gate;
    readonly members: readonly Member[];
  };
  readonly lines: PoolLines;
  readonly memberLines: MemberLines;
};

/** How many tasks a pool can do something with, whatever their method. */
export class PoolAppetite {
  readonly #parts: PoolAppetiteParts;

  constructor(parts: PoolAppetiteParts) {
    this.#parts = parts;
  }

  at(now: number): Appetite {
    const { pool, memberLines } = this.#parts;
    const left = this.#left(now);
    if (left === Number.POSITIVE_INFINITY) return appetiteOf({ left, kept: 0, waiting: 0, long: 0 });
    const kept = pool.members.reduce(
      (sum, { gate }) => sum + gate.keeps.count(now),
      pool.gate.keeps.count(now),
    );
    const patience = pool.gate.patience ?? memberLines.patience;
    return appetiteOf({ left, kept, waiting: this.#waiting(now), long: LONG * (patience?.places ?? 0) });
  }

  /** The line that whoever is not even claimed would stand in, or null where nobody has to wait. */
  heldBackBy(now: number): Line | null {
    const { pool, lines, memberLines } = this.#parts;
    const { room, line } = this.at(now);
    if (room + line > 0 && this.#left(now) > 0) return null;
    const key = protocolLine(pool.protocol);
    const atGate = pool.gate.spare(now) === 0 || lines.waitingFor(key) > 0;
    return atGate ? { kind: pool.gate.blocks(now), key, fair: false } : memberLines.sharedLine(now);
  }

  #left(now: number): number {
    const { pool } = this.#parts;
    return Math.min(
      pool.gate.spare(now),
      pool.members.reduce((sum, member) => sum + member.spare(now), 0),
    );
  }

  /** Known to wait for any place; for those who wait for a service that is left in peace it is the first that comes back. */
  #waiting(now: number): number {
    const { pool, lines, memberLines } = this.#parts;
    if (pool.members.every(({ isAtRest }) => isAtRest))
      return lineKinds.filter(isLeftInPeace).reduce((sum, kind) => sum + lines.waiting(kind), 0);
    return lines.waitingFor(protocolLine(pool.protocol)) + lines.waitingFor(memberLines.sharedLine(now).key);
  }
}
