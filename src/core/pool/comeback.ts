import { REMEMBERED_MS } from './turned-away.ts';

/**
 * A service that was left alone because it turned calls away, and gets them again: first one, and twice as many with each round of answers,
 * so that one which still takes none, or only few, does not turn away all that waits for it. Times in milliseconds.
 */
export type Comeback = {
  /** It was left alone until then. */
  readonly from: number;
  /** So many calls may be under way at once. */
  readonly width: number;
  readonly inside: number;
  /** When the first of those inside began, or the width was last doubled for their sake. */
  readonly since: number;
  /** So many of them were answered. */
  readonly taken: number;
  /** So many it took the time before, until it turned one away. */
  readonly quota: number;
};

/** Who answers so many at once gets all there are. */
const FULL = 64;
/** Whoever is turned away hears of it soon: a call that has been under way for so long was taken, however long its answer needs. */
const TAKEN_MS = 500;
/** Until it has taken a little more than the time before, each call may be one too many: from a small part of that on, one more by round. */
const FEW = 1 / 8;
const MORE = 1.25;

/** `now`: when it is known that it is left alone until then; `before`: what there was of it by then. */
export function comesBack(until: number, before: Comeback | null, now: number): Comeback {
  const quota = before === null ? 0 : quotaOf(before, now);
  return { from: until, width: 1, inside: 0, since: until, taken: 0, quota };
}

function quotaOf({ from, taken, quota }: Comeback, now: number): number {
  if (from > now) return quota;
  return now < from + REMEMBERED_MS ? taken : 0;
}

/** How many calls may begin now. */
export function lets(comeback: Comeback, now: number): number {
  return isBack(comeback, now)
    ? Number.POSITIVE_INFINITY
    : Math.max(0, Math.floor(widened(comeback, now).width) - comeback.inside);
}

/** When another may begin by the passing of time alone, or null where one may now. */
export function letsAt(comeback: Comeback, now: number): number | null {
  if (lets(comeback, now) > 0) return null;
  const { from, since, width, inside } = comeback;
  const doublings = Math.ceil(Math.log2(Math.min(FULL, inside + 1) / width));
  return Math.min(from + REMEMBERED_MS, since + doublings * TAKEN_MS);
}

/** A call begins, allowed or not. */
export function calledAgain(before: Comeback, now: number): Comeback {
  const comeback = widened(before, now);
  const { inside, since } = comeback;
  return { ...comeback, inside: inside + 1, since: inside === 0 ? now : since };
}

/** A call that began since has ended. `well`: the service did not turn it away, nor fail. */
export function endedAgain(
  before: Comeback,
  { well, now }: { readonly well: boolean; readonly now: number },
): Comeback {
  const comeback = widened(before, now);
  const inside = comeback.inside - 1;
  if (!well) return { ...comeback, inside };
  const { width, quota } = comeback;
  const taken = comeback.taken + 1;
  const careful = width >= quota * FEW && taken <= quota * MORE;
  return { ...comeback, inside, taken, width: width + (careful ? 1 / width : 1) };
}

function isBack(comeback: Comeback, now: number): boolean {
  return now >= comeback.from + REMEMBERED_MS || widened(comeback, now).width >= FULL;
}

function widened(comeback: Comeback, now: number): Comeback {
  const { width, inside, since } = comeback;
  const doublings = inside === 0 ? 0 : Math.max(0, Math.floor((now - since) / TAKEN_MS));
  if (doublings === 0) return comeback;
  return { ...comeback, width: Math.min(FULL, width * 2 ** doublings), since: since + doublings * TAKEN_MS };
}
