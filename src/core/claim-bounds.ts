import type { ClaimRequest } from './ports/store.ts';

type Bounds = Pick<ClaimRequest, 'limit' | 'most'>;

/** How many tasks of a lane a claim takes at most. */
export function mostOf({ limit, most }: Bounds, lane: string): number {
  return Math.min(limit, most?.get(lane) ?? limit);
}

/** What a claim takes of tasks that stand in order: what is too much of its lane keeps nobody behind it from being taken. */
export function takenOf<Task>(
  inOrder: readonly Task[],
  claim: Bounds,
  laneOf: (task: Task) => string,
): readonly Task[] {
  const { limit, most } = claim;
  if (most === undefined) return inOrder.slice(0, limit);
  const counts = new Map<string, number>();
  const taken: Task[] = [];
  for (const task of inOrder) {
    if (taken.length >= limit) break;
    const lane = laneOf(task);
    const count = counts.get(lane) ?? 0;
    if (count >= mostOf(claim, lane)) continue;
    counts.set(lane, count + 1);
    taken.push(task);
  }
  return taken;
}

/** The lanes of which a claim took all there was. In others there may be more: it was full, or took its most of them. */
export function emptiedLanes(
  claim: Pick<ClaimRequest, 'limit' | 'lanes' | 'most'>,
  taken: readonly string[],
): readonly string[] {
  if (taken.length >= claim.limit) return [];
  if (claim.most === undefined) return claim.lanes;
  const counts = new Map<string, number>();
  for (const lane of taken) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return claim.lanes.filter((lane) => (counts.get(lane) ?? 0) < mostOf(claim, lane));
}
