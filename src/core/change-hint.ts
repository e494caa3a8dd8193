import type { Changes } from './changes.ts';
import type { ChangeHint } from './ports/store.ts';
import { isClaimable, type TaskRow } from './records.ts';

/** What other engines may want to know of a commit; what its own claim took is no work for them. */
export function hintOf(changes: Changes, claimed: readonly { readonly task: TaskRow }[]): ChangeHint {
  return {
    ready: leavesReady(changes, claimed),
    settled: changes.settled.length > 0 || changes.settledRuns.length > 0,
    revoked: changes.revoked.length > 0,
    documents: changes.documents.length > 0 || changes.goneDocuments.length > 0,
    agents: changes.agents.length > 0 || changes.goneAgents.length > 0,
  };
}

function leavesReady({ tasks, newTasks }: Changes, claimed: readonly { readonly task: TaskRow }[]): boolean {
  const taken = new Set(claimed.map(({ task }) => task.task_id));
  const isLeft = (row: TaskRow) => isClaimable(row) && !taken.has(row.task_id);
  return tasks.some(isLeft) || newTasks.some(({ row }) => isLeft(row));
}

export function isNothing(hint: ChangeHint): boolean {
  return !hint.ready && !hint.settled && !hint.revoked && !hint.documents && !hint.agents;
}
