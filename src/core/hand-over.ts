import type { Changes } from './changes.ts';
import { takenOf } from './claim-bounds.ts';
import type { ClaimRequest } from './ports/store.ts';
import { isClaimable, type TaskRow } from './records.ts';

/** What a commit changes, with some of its tasks claimed already. */
export type HandOver = {
  readonly changes: Changes;
  /** The claimed ones, best rank first. */
  readonly taken: readonly TaskRow[];
};

/**
 * Gives the tasks that a commit makes claimable straight to the engine that asks with it, so that they never stand in
 * the queue. Right only where nothing else is claimable in these lanes: whatever stands there may come first.
 * `orderOf` tells in which order tasks were accepted that are not new.
 */
export function handOver(
  changes: Changes,
  claim: ClaimRequest,
  orderOf: (task_id: string) => number,
): HandOver {
  const lanes = new Set(claim.lanes);
  const mayTake = (row: TaskRow) => isClaimable(row) && lanes.has(row.lane);
  const known = changes.tasks.filter(mayTake).sort((a, b) => orderOf(a.task_id) - orderOf(b.task_id));
  const added = changes.newTasks.map(({ row }) => row).filter(mayTake);
  // Sorting keeps the order of equals, and whatever was there before was accepted earlier than what is new.
  const inOrder = [...known, ...added].sort((a, b) => a.rank - b.rank);
  const best = takenOf(inOrder, claim, ({ lane }) => lane);
  if (best.length === 0) return { changes, taken: [] };
  const taken = new Map(
    best.map((row) => [row.task_id, { ...row, owner: claim.owner, fence: row.fence + 1 }]),
  );
  const after = (row: TaskRow) => taken.get(row.task_id) ?? row;
  return {
    changes: {
      ...changes,
      tasks: changes.tasks.map(after),
      newTasks: changes.newTasks.map((task) => ({ ...task, row: after(task.row) })),
    },
    taken: [...taken.values()],
  };
}
