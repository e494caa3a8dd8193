import type { AgentRow } from './agent.ts';
import type {
  Changes,
  DocumentName,
  DocumentRow,
  EngineRow,
  KeyRow,
  Revoked,
  RunHappenings,
  SettledRun,
  SettledTask,
  Source,
} from './changes.ts';
import { GleitzeitError } from './errors.ts';
import type { EventMap, EventName, Happening } from './events.ts';
import { documentKey, documentName, inLine, Staged, sortOut } from './ledger-parts.ts';
import { type ResultRow, type RunRow, runKeyOf, type TaskBody, type TaskRow } from './records.ts';
import { isSettled } from './task.ts';

export type LedgerContext = {
  /** The store's clock, read once for the whole commit. */
  readonly now: number;
  readonly hash: (text: string) => string;
  /** Nobody else can hold this store, so leases need no end. */
  readonly exclusive: boolean;
};

type LinesAsked = { readonly after: string | null; readonly limit: number; readonly places: number };

/** Part of a list that is worked off piece by piece. `more`: there may be others that the limit left out. */
export type Batch<Item> = { readonly items: readonly Item[]; readonly more: boolean };

/**
 * The working set of one commit. Decisions read through it and put their changes into it, so that the writes of one
 * commit see each other; a store then writes what changed in one transaction. No I/O of its own.
 */
export class Ledger {
  readonly now: number;
  readonly hash: (text: string) => string;
  readonly exclusive: boolean;
  readonly #source: Source;
  readonly #bodies = new Map<string, TaskBody>();
  readonly #inputs = new Map<string, string>();
  readonly #tasks = new Map<string, TaskRow>();
  readonly #runs = new Map<string, RunRow>();
  readonly #results = new Map<string, ResultRow>();
  readonly #keys = new Map<string, KeyRow>();
  readonly #engines = new Staged<EngineRow>();
  readonly #agents = new Staged<AgentRow>();
  readonly #documents = new Staged<DocumentRow>();
  readonly #pruned = new Set<string>();
  readonly #happenings = new Map<string | null, RunHappenings>();
  readonly #settled = new Map<string, SettledTask>();
  readonly #settledRuns = new Map<string, SettledRun>();
  readonly #revoked: Revoked[] = [];

  constructor(source: Source, context: LedgerContext) {
    this.#source = source;
    this.now = context.now;
    this.hash = context.hash;
    this.exclusive = context.exclusive;
  }

  task(task_id: string): TaskRow | null {
    return this.#tasks.get(task_id) ?? this.#kept(this.#source.task(task_id), runKeyOf);
  }

  body(task_id: string): TaskBody | null {
    return this.#bodies.get(task_id) ?? this.#source.body(task_id);
  }

  run(workflow_id: string): RunRow | null {
    return this.#runs.get(workflow_id) ?? this.#kept(this.#source.run(workflow_id), (row) => row.workflow_id);
  }

  /** A run that must be there because one of its tasks is. */
  runOf(workflow_id: string): RunRow {
    const run = this.run(workflow_id);
    if (run === null)
      throw new GleitzeitError('GLZ3005', `the run ${workflow_id} of a stored task is not stored`);
    return run;
  }

  /** Includes what this commit added, leaves out what it settled. */
  openTasks(workflow_id: string): TaskRow[] {
    const rows = new Map(this.#source.openTasks(workflow_id).map((row) => [row.task_id, row]));
    for (const row of this.#tasks.values()) if (row.workflow_id === workflow_id) rows.set(row.task_id, row);
    return [...rows.values()].filter((row) => !isSettled(row.status));
  }

  taskIds(workflow_id: string): Record<string, string> {
    // Entries, not assignment: a task may be called __proto__.
    const stored = this.#pruned.has(workflow_id) ? {} : this.#source.taskIds(workflow_id);
    const ids = new Map(Object.entries(stored));
    for (const row of this.#tasks.values()) if (row.workflow_id === workflow_id) ids.set(row.id, row.task_id);
    return Object.fromEntries(ids);
  }

  key(key: string): KeyRow | null {
    return this.#keys.get(key) ?? this.#kept(this.#source.key(key), (row) => row.run_key);
  }

  engine(owner: string): EngineRow | null {
    return this.#engines.get(owner, () => this.#source.engine(owner));
  }

  agent(name: string): AgentRow | null {
    return this.#agents.get(name, () => this.#source.agent(name));
  }

  document(name: DocumentName): DocumentRow | null {
    return this.#documents.get(documentKey(name), () => this.#source.document(name.collection, name.key));
  }

  dueTasks(limit: number): Batch<TaskRow> {
    const rows = this.#source.dueTasks(this.now, limit);
    const isDue = (row: TaskRow) => row.owner === null && row.due_at !== null && row.due_at <= this.now;
    return { items: this.#current(rows).filter(isDue), more: rows.length >= limit };
  }

  /** Never later than the truth: what the source says may be about a task that this commit moved on. */
  nextDue(): number | null {
    let next = this.#source.nextDue(this.now);
    for (const { owner, due_at } of this.#tasks.values()) {
      if (owner === null && due_at !== null && due_at > this.now) next = Math.min(next ?? due_at, due_at);
    }
    return next;
  }

  lostTasks(limit: number): Batch<TaskRow> {
    const rows = this.#source.lostTasks(this.now, limit);
    const isLost = (row: TaskRow) => row.owner !== null && this.#isLost(this.engine(row.owner));
    return { items: this.#current(rows).filter(isLost), more: rows.length >= limit };
  }

  heldTasks(owner: string): TaskRow[] {
    return this.#current(this.#source.heldTasks(owner)).filter((row) => row.owner === owner);
  }

  lineTasks(line: string, limit: number): TaskRow[] {
    const stored = (most: number) => this.#source.lineTasks(line, most);
    return inLine(line, limit, { stored, changed: this.#tasks });
  }

  /** Those that had somebody in them before this commit. */
  lines({ after, limit, places }: LinesAsked): readonly string[] {
    return this.#source.lines(after, limit, places);
  }

  lostEngines(): readonly EngineRow[] {
    return this.#source.lostEngines(this.now).filter(({ owner }) => this.#isLost(this.engine(owner)));
  }

  prunable(before: number, limit: number): Batch<string> {
    const keys = this.#source.prunable(before, limit);
    const items = keys.filter((key) => !this.#happenings.has(key) && !this.#pruned.has(key));
    return { items, more: keys.length >= limit };
  }

  addTask(row: TaskRow, body: TaskBody): void {
    this.#tasks.set(row.task_id, row);
    this.#bodies.set(row.task_id, body);
  }

  addRun(row: RunRow, input: string): void {
    this.#runs.set(row.workflow_id, row);
    this.#inputs.set(row.workflow_id, input);
  }

  putTask(row: TaskRow): void {
    this.#tasks.set(row.task_id, row);
    const { task_id, workflow_id, status } = row;
    if (isSettled(status)) this.#settled.set(task_id, { task_id, workflow_id, status });
    else this.#settled.delete(task_id);
  }

  /** For a task that only counts its dependencies anew: it settled before or not at all. */
  recount(row: TaskRow): void {
    this.#tasks.set(row.task_id, row);
  }

  putRun(row: RunRow): void {
    this.#runs.set(row.workflow_id, row);
    if (row.settled_at === null) this.#settledRuns.delete(row.workflow_id);
    else this.#settledRuns.set(row.workflow_id, { workflow_id: row.workflow_id, status: row.status });
  }

  putResult(row: ResultRow): void {
    this.#results.set(row.task_id, row);
  }

  addKey(row: KeyRow): void {
    this.#keys.set(row.key, row);
  }

  putEngine(row: EngineRow): void {
    this.#engines.put(row.owner, row);
  }

  removeEngine(owner: string): void {
    this.#engines.put(owner, null);
  }

  putDocument(row: DocumentRow): void {
    this.#documents.put(documentKey(row), row);
  }

  removeDocument(name: DocumentName): void {
    this.#documents.put(documentKey(name), null);
  }

  putAgent(name: string, row: AgentRow | null): void {
    this.#agents.put(name, row);
  }

  prune(run_key: string): void {
    this.#pruned.add(run_key);
  }

  revoke(row: TaskRow): void {
    if (row.owner !== null) this.#revoked.push({ task_id: row.task_id, owner: row.owner });
  }

  /** Puts what happened on the log of the run; invariant 3: in the same commit as the change itself. */
  tell<Name extends EventName>(task: TaskRow, event: Name, data: EventMap[Name]): void {
    const happening = { event, task_id: task.task_id, data } as Happening;
    const lastSeq = () => (task.workflow_id === null ? task.seq : this.runOf(task.workflow_id).seq);
    this.#log(runKeyOf(task), task.workflow_id, lastSeq).push(happening);
  }

  tellRun<Name extends EventName>(run: RunRow, event: Name, data: EventMap[Name]): void {
    this.#log(run.workflow_id, run.workflow_id, () => run.seq).push({ event, data } as Happening);
  }

  /** For what belongs to no run. */
  tellAll(happening: Happening): void {
    this.#log(null, null, () => -1).push(happening);
  }

  changes(): Changes {
    this.#countEvents();
    const tasks = sortOut(this.#tasks, this.#bodies);
    const runs = sortOut(this.#runs, this.#inputs);
    return {
      newTasks: tasks.added.map(([row, body]) => ({ row, body })),
      tasks: tasks.known,
      newRuns: runs.added.map(([row, input]) => ({ row, input })),
      runs: runs.known,
      results: [...this.#results.values()],
      keys: [...this.#keys.values()],
      engines: this.#engines.rows(),
      goneEngines: this.#engines.gone(),
      agents: this.#agents.rows(),
      goneAgents: this.#agents.gone(),
      documents: this.#documents.rows(),
      goneDocuments: this.#documents.gone().map(documentName),
      pruned: [...this.#pruned],
      happenings: [...this.#happenings.values()],
      settled: [...this.#settled.values()],
      settledRuns: [...this.#settledRuns.values()],
      revoked: this.#revoked,
    };
  }

  #isLost(engine: EngineRow | null): boolean {
    return engine === null || engine.alive_until < this.now;
  }

  #kept<Row>(row: Row | null, keyOf: (row: Row) => string): Row | null {
    return row === null || this.#pruned.has(keyOf(row)) ? null : row;
  }

  /** The newest rows of what the source still shows as it was before this commit. */
  #current(rows: readonly TaskRow[]): TaskRow[] {
    return rows.map((row) => this.#tasks.get(row.task_id) ?? row);
  }

  #log(run_key: string | null, workflow_id: string | null, lastSeq: () => number): Happening[] {
    let log = this.#happenings.get(run_key);
    if (log === undefined) {
      log = { run_key, workflow_id, first_seq: lastSeq() + 1, events: [] };
      this.#happenings.set(run_key, log);
    }
    return log.events;
  }

  /** Every happening moves the counter of its run, or of its task where it is alone. */
  #countEvents(): void {
    for (const { run_key, workflow_id, first_seq, events } of this.#happenings.values()) {
      const seq = first_seq + events.length - 1;
      const task = run_key !== null && workflow_id === null ? this.task(run_key) : null;
      const run = workflow_id === null ? null : this.run(workflow_id);
      if (task !== null) this.#tasks.set(task.task_id, { ...task, seq });
      if (run !== null) this.#runs.set(run.workflow_id, { ...run, seq });
    }
  }
}
