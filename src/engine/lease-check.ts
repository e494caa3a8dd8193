import type { GleitzeitError } from '../core/errors.ts';
import type { CommitAnswer, StoreReads } from '../core/ports/store.ts';
import type { TaskRow } from '../core/records.ts';
import type { Dispatcher } from './dispatcher.ts';
import { cancelled, paused, taken } from './ends.ts';

export type LeaseCheckParts = {
  readonly reads: Pick<StoreReads, 'task'>;
  readonly dispatcher: () => Dispatcher;
};

/** Looks whether what is held here is still ours, once others took tasks away. */
export class LeaseCheck {
  readonly #parts: LeaseCheckParts;
  /** It happened while a commit was under way: what that claimed may be among them. */
  #meanwhile = false;

  constructor(parts: LeaseCheckParts) {
    this.#parts = parts;
  }

  revokedElsewhere(): void {
    this.#meanwhile = true;
    for (const task_id of this.#parts.dispatcher().held()) void this.#check(task_id);
  }

  committed({ claimed }: CommitAnswer): void {
    if (this.#meanwhile) for (const { task } of claimed) void this.#check(task.task_id);
    this.#meanwhile = false;
  }

  async #check(task_id: string): Promise<void> {
    const dispatcher = this.#parts.dispatcher();
    const lease = dispatcher.leaseOf(task_id);
    const found = await this.#parts.reads.task(task_id).catch(() => undefined);
    if (lease === null || found === undefined) return;
    const ours = found?.task.owner === lease.owner && found.task.fence === lease.fence;
    if (!ours && dispatcher.leaseOf(task_id)?.fence === lease.fence)
      dispatcher.revoke(task_id, reasonOf(found?.task ?? null));
  }
}

/** What the provider finds as the reason of its AbortSignal. */
function reasonOf(task: TaskRow | null): GleitzeitError {
  if (task?.status === 'cancelled') return cancelled;
  return task?.parked == null ? taken : paused;
}
