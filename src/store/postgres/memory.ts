import type { Changes } from '../../core/changes.ts';
import type { TaskInput } from '../../core/ports/store.ts';
import type { RunRow, TaskBody, TaskRow } from '../../core/records.ts';
import type { Write, WriteOf } from '../../core/writes.ts';
import type { Claimed } from './claimed.ts';
import type { Needs } from './needs.ts';
import type { LoadedRows } from './source.ts';

/** A task as this store last wrote it or handed it out. */
type KnownTask = { readonly row: TaskRow; readonly n: number; readonly body: TaskBody };
type KnownRun = {
  readonly row: RunRow;
  readonly n: number;
  readonly input: string;
  readonly taskIds: readonly string[];
  weight: number;
};

const MOST_LONE = 5_000;
/** Characters of params up to which a lone task is remembered. */
const MOST_PARAMS = 4096;
/** Characters of all remembered runs together; a task counts for some without its texts. */
const MOST_WEIGHT = 16 * 1024 * 1024;
const TASK_WEIGHT = 1000;

/**
 * What need not be read, because this store wrote it last. Lone tasks that engines hold through this store: nobody else
 * changes such a task without ending its claim. Whole runs that were submitted through this store while it was alone:
 * whatever happens to a task of a run moves the run's counter of events. The next step of such a task is decided over
 * the rows in memory and written under the condition that claim and counter still stand. Where they do not, the commit
 * is undone and decided again over what the database has: the answers are the same, only slower.
 */
export class Memory {
  readonly #tasks = new Map<string, KnownTask>();
  readonly #lone = new Set<string>();
  readonly #runs = new Map<string, KnownRun>();
  readonly #results = new Map<string, string>();
  #weight = 0;
  /** Lanes in which the last claim left nothing behind; what this store made ready there since, it claimed at once. */
  emptied: ReadonlySet<string> = new Set();

  /** Puts remembered rows where decisions find them, and takes them off the list of what has to be loaded. */
  assume(writes: readonly Write[], needs: Needs, rows: LoadedRows): void {
    for (const write of writes) {
      if (!isByHolder(write)) continue;
      const known = this.#tasks.get(write.task_id);
      if (known === undefined || !isSureToChange(known.row, write)) continue;
      const { workflow_id } = known.row;
      const run = workflow_id === null ? undefined : this.#runs.get(workflow_id);
      if (workflow_id !== null && run === undefined) continue;
      if (run === undefined) rows.assumed.add(write.task_id);
      else rows.assumeRun(run.row, run.n);
      rows.tasks.set(write.task_id, known.row);
      rows.orders.set(write.task_id, known.n);
      needs.tasks.delete(write.task_id);
      needs.dependents.delete(write.task_id);
      needs.bodies.delete(write.task_id);
    }
  }

  task(task_id: string): KnownTask | undefined {
    return this.#tasks.get(task_id);
  }

  runInput(workflow_id: string | null): string | null {
    return workflow_id === null ? null : (this.#runs.get(workflow_id)?.input ?? null);
  }

  /** The result of a task of a remembered run. */
  input(task_id: string): TaskInput | undefined {
    const result = this.#results.get(task_id);
    return result === undefined ? undefined : { status: 'completed', result };
  }

  /** What a commit left of it, what its claim added, and, where wanted, the new runs. */
  remember(changes: Changes, rows: LoadedRows, more: { claimed: readonly Claimed[]; runs: boolean }): void {
    if (more.runs) this.#addRuns(changes, rows);
    for (const { task_id, run_key, result } of changes.results) this.#keepResult(run_key, task_id, result);
    for (const row of changes.tasks) {
      const known = this.#tasks.get(row.task_id);
      if (known === undefined) continue;
      if (row.owner === null && row.workflow_id === null) this.#forgetLone(row.task_id);
      else this.#tasks.set(row.task_id, { ...known, row });
    }
    for (const row of changes.runs) {
      const run = this.#runs.get(row.workflow_id);
      if (run === undefined) continue;
      // One that was read instead was moved on by somebody else: what is remembered of its tasks is out of date.
      const sure = rows.assumedRuns.has(row.workflow_id);
      if (sure && row.settled_at === null) this.#runs.set(row.workflow_id, { ...run, row });
      else this.#forgetRun(row.workflow_id);
    }
    for (const key of changes.pruned) this.#forgetRun(key);
    for (const { task, body, n, bare } of more.claimed) {
      const known = task.workflow_id === null ? isSmall(body) : this.#runs.has(task.workflow_id);
      const stored = bare ? this.#tasks.get(task.task_id)?.body : body;
      if (!known || stored === undefined) continue;
      this.#tasks.set(task.task_id, { row: task, n, body: stored });
      if (task.workflow_id === null) this.#lone.add(task.task_id);
    }
    this.#forgetOldest();
  }

  forgetAll(): void {
    this.#tasks.clear();
    this.#lone.clear();
    this.#runs.clear();
    this.#results.clear();
    this.#weight = 0;
    this.emptied = new Set();
  }

  #addRuns({ newRuns, newTasks }: Changes, rows: LoadedRows): void {
    if (newRuns.length === 0) return;
    const tasks = Map.groupBy(newTasks, ({ row }) => row.workflow_id);
    for (const { row, input } of newRuns) {
      const own = tasks.get(row.workflow_id) ?? [];
      const weight = own.reduce((sum, { body }) => sum + TASK_WEIGHT + body.params.length, input.length);
      const taskIds = own.map((task) => task.row.task_id);
      const n = rows.runOrders.get(row.workflow_id) ?? 0;
      this.#runs.set(row.workflow_id, { row, n, input, taskIds, weight });
      this.#weight += weight;
      for (const task of own) {
        this.#tasks.set(task.row.task_id, { ...task, n: rows.orders.get(task.row.task_id) ?? 0 });
      }
    }
  }

  #keepResult(run_key: string, task_id: string, result: string): void {
    const run = this.#runs.get(run_key);
    if (run === undefined) return;
    this.#results.set(task_id, result);
    run.weight += result.length;
    this.#weight += result.length;
  }

  #forgetRun(workflow_id: string): void {
    const run = this.#runs.get(workflow_id);
    if (run === undefined) return;
    this.#runs.delete(workflow_id);
    this.#weight -= run.weight;
    for (const task_id of run.taskIds) {
      this.#tasks.delete(task_id);
      this.#results.delete(task_id);
    }
  }

  #forgetLone(task_id: string): void {
    this.#lone.delete(task_id);
    this.#tasks.delete(task_id);
  }

  /** Claims that ended elsewhere leave theirs behind, and runs may wait for ever. */
  #forgetOldest(): void {
    for (const task_id of this.#lone) {
      if (this.#lone.size <= MOST_LONE) break;
      this.#forgetLone(task_id);
    }
    for (const workflow_id of this.#runs.keys()) {
      if (this.#weight <= MOST_WEIGHT) break;
      this.#forgetRun(workflow_id);
    }
  }
}

function isSmall({ params }: TaskBody): boolean {
  return params.length <= MOST_PARAMS;
}

type ByHolder = WriteOf<'settle' | 'start' | 'progress' | 'hand_over'>;

function isByHolder(write: Write): write is ByHolder {
  const { kind } = write;
  return kind === 'settle' || kind === 'start' || kind === 'progress' || kind === 'hand_over';
}

/** Only a row that is written is compared with the database, so a write that would leave it as it is must read it. */
function isSureToChange(row: TaskRow, write: ByHolder): boolean {
  if (row.owner !== write.owner || row.fence !== write.fence) return false;
  if (write.kind === 'progress')
    return row.attempt_count + (row.status === 'queued' ? 1 : 0) === write.start.attempt;
  return write.kind === 'settle' || row.status === 'queued';
}
