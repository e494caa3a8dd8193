import type { Changes } from '../../core/changes.ts';
import type { TaskRow } from '../../core/records.ts';
import type { Write } from '../../core/writes.ts';
import type { Claimed } from './claimed.ts';
import type { Needs } from './needs.ts';
import type { LoadedRows } from './source.ts';

/** A task this store handed out, as it was when it last wrote it. */
type HeldTask = { readonly row: TaskRow; readonly n: number };

const MOST = 20_000;

/**
 * Lone tasks that engines hold through this store. Nobody else changes such a task without ending its claim, so its
 * next step is decided over the row in memory, without reading it, and written under the condition that the claim
 * still stands. Where it does not, the commit is undone and decided again over what the database has: the answers are
 * the same, only slower. Tasks of a workflow are not kept: their runs have to be locked in any case.
 */
export class HeldTasks {
  readonly #tasks = new Map<string, HeldTask>();

  /** Puts remembered tasks where decisions find them, and takes them off the list of what has to be loaded. */
  assume(writes: readonly Write[], needs: Needs, rows: LoadedRows): void {
    for (const write of writes) {
      if (write.kind !== 'settle' && write.kind !== 'start') continue;
      const known = this.#tasks.get(write.task_id);
      if (known === undefined || !isSureToChange(known.row, write)) continue;
      rows.tasks.set(write.task_id, known.row);
      rows.orders.set(write.task_id, known.n);
      rows.assumed.add(write.task_id);
      needs.tasks.delete(write.task_id);
      needs.dependents.delete(write.task_id);
    }
  }

  /** What a commit left of them, and what its claim added. */
  remember({ tasks }: Changes, claimed: readonly Claimed[]): void {
    for (const row of tasks) {
      const known = this.#tasks.get(row.task_id);
      if (known === undefined) continue;
      if (row.owner === null) this.#tasks.delete(row.task_id);
      else this.#tasks.set(row.task_id, { ...known, row });
    }
    for (const { task, n } of claimed) {
      if (task.workflow_id === null) this.#tasks.set(task.task_id, { row: task, n });
    }
    // Claims that ended elsewhere leave theirs behind; the oldest go first.
    for (const task_id of this.#tasks.keys()) {
      if (this.#tasks.size <= MOST) return;
      this.#tasks.delete(task_id);
    }
  }

  forgetAll(): void {
    this.#tasks.clear();
  }
}

/** Only a row that is written is compared with the database, so a write that would leave it as it is must read it. */
function isSureToChange(row: TaskRow, write: Write & { kind: 'settle' | 'start' }): boolean {
  if (row.owner !== write.owner || row.fence !== write.fence) return false;
  return write.kind === 'settle' || row.status === 'queued';
}
