import type { RunHappenings } from '../../../src/core/changes.ts';
import { type Event, eventsOf } from '../../../src/core/events.ts';
import { emptyRun, type FoldedRun, foldEvent } from '../../../src/core/fold.ts';
import { differences, stateOf } from '../../../src/core/fold-compare.ts';
import { type RunRow, runKeyOf, type TaskBody, type TaskRow } from '../../../src/core/records.ts';
import type { Committed, SimulatedData } from '../../../src/store/simulated/data.ts';
import type { Report, Shadow } from './step.ts';

type Rows = { readonly run: RunRow | null; readonly rows: readonly TaskRow[] };

/** The log as it must be: numbered without gaps, and telling the same story as the rows. */
export class Log {
  readonly #report: Report;
  readonly #folded = new Map<string, FoldedRun>();
  readonly events: Event[] = [];
  #cursor = 0;
  #at = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  check({ changes, at }: Committed): void {
    if (at < this.#at) this.#report('the store’s clock never goes back', `${at} after ${this.#at}`);
    this.#at = at;
    for (const happenings of changes.happenings) this.#append(happenings, at);
    for (const run_key of changes.pruned) this.#folded.delete(run_key);
  }

  #append({ run_key, workflow_id, first_seq, events }: RunHappenings, at: number): void {
    this.#cursor += events.length;
    for (const event of eventsOf({ cursor: this.#cursor, run_key, workflow_id, first_seq, at, events })) {
      this.events.push(event);
      if (run_key === null) continue;
      try {
        this.#folded.set(run_key, foldEvent(this.#folded.get(run_key) ?? emptyRun(), event));
      } catch (thrown) {
        this.#report('seq without gaps, and the log can be folded', `${run_key}: ${thrown}`);
      }
    }
  }

  /** Of the runs a commit touched: the fold of the log is the state. Also those that it changed without a word. */
  compareTouched({ changes }: Committed, shadow: Shadow): void {
    const touched = new Set<string>();
    for (const { row } of changes.newTasks) touched.add(runKeyOf(row));
    for (const row of changes.tasks) touched.add(runKeyOf(row));
    for (const { workflow_id } of changes.runs) touched.add(workflow_id);
    for (const run_key of touched) {
      const ids = [...shadow.data.tasksOfRun.ids(run_key)];
      const rows = ids.map((task_id) => shadow.tasks.get(task_id)).filter((row) => row !== undefined);
      this.#compareRun(run_key, { run: shadow.runs.get(run_key) ?? null, rows }, shadow.data);
    }
  }

  /** After all is over: nothing is stored that the log does not know, and readers get the log as it was written. */
  compare(data: SimulatedData): void {
    const rows = Map.groupBy(data.tasks.values(), runKeyOf);
    for (const run_key of new Set([...this.#folded.keys(), ...rows.keys()])) {
      const stored = { run: data.runs.get(run_key) ?? null, rows: rows.get(run_key) ?? [] };
      this.#compareRun(run_key, stored, data);
    }
    this.#compareLog(data);
  }

  #compareRun(run_key: string, { run, rows }: Rows, data: SimulatedData): void {
    const tasks = rows.map((row) => ({ row, body: data.bodies.get(row.task_id) as TaskBody }));
    const stored = stateOf({ run, tasks });
    const [difference] = differences(this.#folded.get(run_key) ?? emptyRun(), stored);
    if (difference !== undefined) this.#report('state is the fold of the log', `${run_key}: ${difference}`);
  }

  #compareLog(data: SimulatedData): void {
    const kept = this.events.filter((event) => this.#isKept(event));
    const read = data.events.page({ after: 0, limit: Number.MAX_SAFE_INTEGER }).events;
    const wrong = kept.findIndex((event, index) => !sameEvent(event, read[index]));
    if (wrong !== -1 || kept.length !== read.length) {
      this.#report(
        'readers get the log as it was written',
        `${read.length} of ${kept.length} events, wrong at ${wrong}`,
      );
    }
  }

  #isKept(event: Event): boolean {
    const run_key = event.workflow_id ?? event.task_id ?? null;
    return run_key === null || this.#folded.has(run_key);
  }
}

export function sameEvent(a: Event, b: Event | undefined): boolean {
  return (
    a.cursor === b?.cursor &&
    a.seq === b.seq &&
    a.event === b.event &&
    a.task_id === b.task_id &&
    a.at === b.at
  );
}
