import type { AgentRow } from '../../core/agent.ts';
import type { Changes, DocumentRow, EngineRow, KeyRow, RunHappenings, Source } from '../../core/changes.ts';
import { decide } from '../../core/decide.ts';
import { Ledger, type LedgerContext } from '../../core/ledger.ts';
import type { RunRow, TaskBody, TaskRow } from '../../core/records.ts';
import type { Verdict, Write } from '../../core/writes.ts';
import { documentKey, isSatisfied, linesKey, type Needs, noNeeds } from './needs.ts';

/** A decision met a row that is not in memory. Not an error of ours: nothing may take it for an answer. */
class NotLoaded extends Error {}

/** What need not be read (see memory.ts). */
type Remembered = {
  task(task_id: string): { readonly row: TaskRow; readonly n: number; readonly body: TaskBody } | undefined;
};

/**
 * The rows of one transaction that are in memory. Null means that the row was looked for and is not there; what was
 * not looked for is written down as missing and ends the decision that asked.
 */
export class LoadedRows implements Source {
  readonly tasks = new Map<string, TaskRow | null>();
  /** The place of each task in the order of acceptance, and of each run: both are numbered in one. */
  readonly orders = new Map<string, number>();
  readonly runOrders = new Map<string, number>();
  /** Lone tasks that were not read but remembered (see memory.ts): written only if they are still the same. */
  readonly assumed = new Set<string>();
  /** Runs likewise, and with each all its tasks. */
  readonly assumedRuns = new Set<string>();
  readonly bodies = new Map<string, TaskBody | null>();
  readonly runs = new Map<string, RunRow | null>();
  readonly openTaskIds = new Map<string, readonly string[]>();
  readonly taskIdsOfRuns = new Map<string, Readonly<Record<string, string>>>();
  readonly keys = new Map<string, KeyRow | null>();
  readonly engines = new Map<string, EngineRow | null>();
  readonly documents = new Map<string, DocumentRow | null>();
  readonly agents = new Map<string, AgentRow | null>();
  /** In the order they are due. */
  dueIds: readonly string[] | null = null;
  firstDueLater: number | null = null;
  lostIds: readonly string[] | null = null;
  lostOwners: readonly string[] | null = null;
  readonly heldIds = new Map<string, readonly string[]>();
  /** By the name of the line; `all`: nobody else is in it. */
  readonly lineIds = new Map<string, { readonly ids: readonly string[]; readonly all: boolean }>();
  readonly linesAfter = new Map<string, readonly string[]>();
  /** By the time before which they settled. */
  readonly prunableKeys = new Map<number, readonly string[]>();
  missing: Needs = noNeeds();
  readonly #memory: Remembered | null;

  constructor(memory: Remembered | null = null) {
    this.#memory = memory;
  }

  assumeRun(row: RunRow, n: number): void {
    this.runs.set(row.workflow_id, row);
    this.runOrders.set(row.workflow_id, n);
    this.assumedRuns.add(row.workflow_id);
  }

  task(task_id: string): TaskRow | null {
    return this.tasks.get(task_id) ?? this.#remembered(task_id) ?? this.#absent(this.tasks, task_id, 'tasks');
  }

  /** A body never changes: one that is remembered is right in any case. */
  body(task_id: string): TaskBody | null {
    const body = this.bodies.get(task_id) ?? this.#memory?.task(task_id)?.body;
    return body ?? this.#absent(this.bodies, task_id, 'bodies');
  }

  run(workflow_id: string): RunRow | null {
    return this.runs.get(workflow_id) ?? this.#absent(this.runs, workflow_id, 'runs');
  }

  openTasks(workflow_id: string): readonly TaskRow[] {
    const ids = this.openTaskIds.get(workflow_id);
    if (ids === undefined) return this.#miss((needs) => needs.openTasks.add(workflow_id));
    return this.#rowsOf(ids);
  }

  taskIds(workflow_id: string): Readonly<Record<string, string>> {
    return this.taskIdsOfRuns.get(workflow_id) ?? this.#miss((needs) => needs.taskIds.add(workflow_id));
  }

  key(key: string): KeyRow | null {
    return this.keys.get(key) ?? this.#absent(this.keys, key, 'keys');
  }

  document(collection: string, key: string): DocumentRow | null {
    const name = { collection, key };
    const row = this.documents.get(documentKey(name));
    return row === undefined ? this.#miss((needs) => needs.documents.set(documentKey(name), name)) : row;
  }

  agent(name: string): AgentRow | null {
    return this.agents.get(name) ?? this.#absent(this.agents, name, 'agents');
  }

  engine(owner: string): EngineRow | null {
    return this.engines.get(owner) ?? this.#absent(this.engines, owner, 'engines');
  }

  dueTasks(now: number, limit: number): readonly TaskRow[] {
    // The list was read before the rows were locked: what somebody else moved in between is due no more.
    const due = this.#rowsOf(listed(this.dueIds)).filter(
      (row) => row.owner === null && row.due_at !== null && row.due_at <= now,
    );
    return due.slice(0, limit);
  }

  nextDue(): number | null {
    listed(this.dueIds);
    return this.firstDueLater;
  }

  lostTasks(now: number, limit: number): readonly TaskRow[] {
    const lost = this.#rowsOf(listed(this.lostIds)).filter(
      (row) => row.owner !== null && this.#isLost(row.owner, now),
    );
    return lost.slice(0, limit);
  }

  heldTasks(owner: string): readonly TaskRow[] {
    return this.#rowsOf(listed(this.heldIds.get(owner))).filter((row) => row.owner === owner);
  }

  /** Others may have called those in the list before it was locked: then it is read anew, further down the line. */
  lineTasks(line: string, limit: number): readonly TaskRow[] {
    const list = this.lineIds.get(line);
    const rows = this.#rowsOf(list?.ids ?? []).filter(({ parked }) => parked === line);
    if (list !== undefined && (list.all || rows.length >= limit)) return rows.slice(0, limit);
    const most = Math.max(limit, 2 * (list?.ids.length ?? 0));
    return this.#miss((needs) => needs.lines.set(line, most));
  }

  lines(after: string | null, limit: number, places: number): readonly string[] {
    return listed(this.linesAfter.get(linesKey({ after, limit, places })));
  }

  lostEngines(now: number): readonly EngineRow[] {
    const rows = listed(this.lostOwners).map((owner) => this.engine(owner));
    return rows.filter((row) => row !== null).filter((row) => row.alive_until < now);
  }

  prunable(before: number, limit: number): readonly string[] {
    return listed(this.prunableKeys.get(before)).slice(0, limit);
  }

  /** The number of what an event is about; null where it belongs to no run. */
  numberOf({ run_key, workflow_id }: RunHappenings): number | null {
    if (run_key === null) return null;
    const n = workflow_id === null ? this.orders.get(run_key) : this.runOrders.get(run_key);
    if (n === undefined) throw new Error('something happened to a run that was not loaded');
    return n;
  }

  #isLost(owner: string, now: number): boolean {
    const engine = this.engine(owner);
    return engine === null || engine.alive_until < now;
  }

  #remembered(task_id: string): TaskRow | null {
    const known = this.#memory?.task(task_id);
    if (known === undefined || !this.assumedRuns.has(known.row.workflow_id ?? '')) return null;
    this.tasks.set(task_id, known.row);
    this.orders.set(task_id, known.n);
    return known.row;
  }

  #rowsOf(ids: readonly string[]): TaskRow[] {
    return ids.map((id) => this.task(id)).filter((row) => row !== null);
  }

  #absent(
    rows: ReadonlyMap<string, unknown>,
    id: string,
    kind: 'tasks' | 'bodies' | 'runs' | 'keys' | 'engines' | 'agents',
  ): null {
    return rows.has(id) ? null : this.#miss((needs) => needs[kind].add(id));
  }

  #miss(note: (needs: Needs) => void): never {
    note(this.missing);
    throw new NotLoaded('a row that a decision needs is not loaded');
  }
}

/** Lists are read before anything is decided (see lists.ts); one that is not there is a mistake of ours. */
function listed<Item>(list: readonly Item[] | null | undefined): readonly Item[] {
  if (list == null) throw new Error('a list that a decision needs was not read');
  return list;
}

export type Decided = { readonly verdicts: readonly Verdict[]; readonly changes: Changes };

/**
 * Decides the writes over what is in memory, or says what is missing. A write that meets a missing row leaves its
 * ledger half changed, so the whole ledger is thrown away; the other writes still run on it, only to find what else
 * is missing.
 */
export function decideLoaded(
  rows: LoadedRows,
  context: LedgerContext,
  writes: readonly Write[],
): Decided | Needs {
  rows.missing = noNeeds();
  const ledger = new Ledger(rows, context);
  const verdicts: Verdict[] = [];
  for (const write of writes) {
    try {
      verdicts.push(decide(ledger, write));
    } catch (thrown) {
      if (isSatisfied(rows.missing)) throw thrown;
    }
  }
  return isSatisfied(rows.missing) ? { verdicts, changes: ledger.changes() } : rows.missing;
}
