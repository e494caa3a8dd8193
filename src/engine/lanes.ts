import { emptiedLanes } from '../core/claim-bounds.ts';
import { insatiable, widerLook } from '../core/pool/appetite.ts';
import type { Router } from '../core/ports/router.ts';
import type { ClaimedTask, ClaimRequest } from '../core/ports/store.ts';
import type { Held } from './held.ts';

type Lane = {
  /** Those who were asked for, and those who came and are not routed yet. */
  coming: number;
  /** Somebody was sent to wait while there was room. */
  unused: boolean;
  /** How many are looked at beyond what is of use. */
  wider: number;
  /** So many may come by a look at all lines. */
  found: number;
};

/** A lane with bounds has few lines. Whoever comes of more of them is claimed in turn. */
const LINES_OF_LANE = 8;

type Word = 'go' | 'wait' | 'none';
type Bounded = Pick<ClaimRequest, 'lanes' | 'most'>;

/**
 * How much of each lane is claimed: no more than can begin, and what its line is short of. The rest stays in the queue, where
 * it costs nothing; claimed, it would be sent to wait one by one, and all others with room would stand behind it.
 */
export class Lanes {
  readonly #router: Pick<Router, 'appetite'>;
  readonly #lanes = new Map<string, Lane>();

  constructor(router: Pick<Router, 'appetite'>) {
    this.#router = router;
  }

  /** The lanes of which there is something to claim. `share`: how many a lane may take, whatever its appetite. */
  claiming(lanes: readonly string[], limit: number, share: (lane: string) => number): Bounded {
    const most = new Map<string, number>();
    for (const name of lanes) {
      const bound = Math.min(this.#bound(name), share(name));
      if (bound < limit) most.set(name, bound);
    }
    if (most.size === 0) return { lanes };
    const open = lanes.filter((name) => most.get(name) !== 0);
    for (const [name, bound] of most) {
      if (bound === 0) most.delete(name);
      else this.#of(name).coming += bound;
    }
    return most.size === 0 ? { lanes: open } : { lanes: open, most };
  }

  #bound(name: string): number {
    const { room, line } = this.#router.appetite?.(name) ?? insatiable;
    if (room === Number.POSITIVE_INFINITY) return room;
    const lane = this.#of(name);
    if (lane.coming === 0) {
      lane.wider = widerLook(lane.wider, { unused: lane.unused, room });
      lane.unused = false;
    }
    const useful = room + line + lane.wider + lane.found;
    lane.found = 0;
    return Math.max(0, useful - lane.coming);
  }

  /** The next commit takes one of each line: kept in the queue, they would lose their turn to those who are called then. */
  expectFound(): void {
    for (const lane of this.#lanes.values()) lane.found = LINES_OF_LANE;
  }

  /** A claim has been answered, or nothing comes of it. */
  answered({ most }: ClaimRequest): void {
    for (const [name, bound] of most ?? []) this.#of(name).coming -= bound;
  }

  took(name: string): void {
    this.#of(name).coming++;
  }

  /** It is known what becomes of it, or it is not ours any more. */
  routed(name: string, word: Word): void {
    const lane = this.#of(name);
    lane.coming--;
    if (word === 'wait' && !lane.unused) lane.unused = (this.#router.appetite?.(name).room ?? 0) > 0;
  }

  #of(name: string): Lane {
    const found = this.#lanes.get(name);
    if (found !== undefined) return found;
    const lane = { coming: 0, unused: false, wider: 0, found: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }
}

/** Once for each claim. */
export function markRouted(lanes: Lanes, held: Held, word: Word): void {
  if (held.routed) return;
  held.routed = true;
  lanes.routed(held.claimed.task.lane, word);
}

/** What a claim found out of its lanes. */
export type Found = {
  /** There may be more to claim. */
  readonly more: boolean;
  /** In these nothing is left. */
  readonly emptied: ReadonlySet<string>;
};

export function foundBy(claim: ClaimRequest, claimed: readonly ClaimedTask[]): Found {
  const lanes = claimed.map(({ task }) => task.lane);
  const emptied = new Set(emptiedLanes(claim, lanes));
  return { more: emptied.size < claim.lanes.length, emptied };
}
