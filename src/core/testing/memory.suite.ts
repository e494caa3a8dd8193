import type { AgentRow } from '../agent.ts';
import type { Changes, DocumentRow, EngineRow, KeyRow, Source } from '../changes.ts';
import { decideAll } from '../decide.ts';
import { type Event, eventsOf } from '../events.ts';
import { fold } from '../fold.ts';
import { differences, type StoredRun, stateOf } from '../fold-compare.ts';
import { isInLine } from '../parked.ts';
import {
  isClaimable,
  type ResultRow,
  type RunRow,
  runKeyOf,
  type TaskBody,
  type TaskRow,
} from '../records.ts';
import { isSettled } from '../task.ts';
import type { AnswerTo, Verdict, Write, WriteKind, WriteOf } from '../writes.ts';

/** The smallest store there is: plain maps, read by looking at everything. Counts what decisions read. */
export class Memory implements Source {
  readonly tasks = new Map<string, TaskRow>();
  readonly bodies = new Map<string, TaskBody>();
  readonly runs = new Map<string, RunRow>();
  readonly results = new Map<string, ResultRow>();
  readonly keys = new Map<string, KeyRow>();
  readonly engines = new Map<string, EngineRow>();
  readonly documents = new Map<string, DocumentRow>();
  readonly agents = new Map<string, AgentRow>();
  readonly log = new Map<string | null, Event[]>();
  now = 1_000_000;
  exclusive = false;
  reads = 0;
  #cursor = 0;

  task = (task_id: string) => this.#one(this.tasks.get(task_id));
  body = (task_id: string) => this.#one(this.bodies.get(task_id));
  run = (workflow_id: string) => this.#one(this.runs.get(workflow_id));
  key = (key: string) => this.#one(this.keys.get(key));
  engine = (owner: string) => this.#one(this.engines.get(owner));
  agent = (name: string) => this.#one(this.agents.get(name));
  document = (collection: string, key: string) => this.#one(this.documents.get(`${collection}/${key}`));

  openTasks = (workflow_id: string) =>
    this.#tasksWhere((row) => row.workflow_id === workflow_id && !isSettled(row.status));

  taskIds = (workflow_id: string) =>
    Object.fromEntries(
      this.#tasksWhere((row) => row.workflow_id === workflow_id).map((row) => [row.id, row.task_id]),
    );

  dueTasks = (now: number, limit: number) =>
    this.#tasksWhere((row) => row.owner === null && row.due_at !== null && row.due_at <= now)
      .sort((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0))
      .slice(0, limit);

  nextDue = (now: number) =>
    this.#tasksWhere((row) => row.owner === null)
      .flatMap(({ due_at }) => (due_at !== null && due_at > now ? [due_at] : []))
      .sort((a, b) => a - b)[0] ?? null;

  lostTasks = (now: number, limit: number) =>
    this.#tasksWhere(
      (row) => row.owner !== null && (this.engines.get(row.owner)?.alive_until ?? -1) < now,
    ).slice(0, limit);

  heldTasks = (owner: string) => this.#tasksWhere((row) => row.owner === owner);

  lineTasks = (line: string, limit: number) =>
    this.#tasksWhere(({ parked }) => parked === line)
      .sort((a, b) => a.rank - b.rank)
      .slice(0, limit);

  lines = (after: string | null, limit: number) =>
    [...new Set([...this.tasks.values()].map(({ parked }) => parked).filter(isInLine))]
      .filter((line) => after === null || line > after)
      .sort()
      .slice(0, limit);

  lostEngines = (now: number) => [...this.engines.values()].filter((row) => row.alive_until < now);

  prunable = (before: number, limit: number) =>
    [
      ...[...this.runs.values()].map((row) => ({ key: row.workflow_id, at: row.settled_at })),
      ...this.#tasksWhere((row) => row.workflow_id === null).map((row) => ({
        key: row.task_id,
        at: row.settled_at,
      })),
    ]
      .flatMap(({ key, at }) => (at !== null && at < before ? [{ key, at }] : []))
      .sort((a, b) => a.at - b.at)
      .slice(0, limit)
      .map(({ key }) => key);

  #one<T>(found: T | undefined): T | null {
    this.reads++;
    return found ?? null;
  }

  #tasksWhere(test: (row: TaskRow) => boolean): TaskRow[] {
    const rows = [...this.tasks.values()].filter(test);
    this.reads += rows.length;
    return rows;
  }

  /** Decides and writes, as a store does in one transaction. */
  commit(...writes: readonly Write[]): { verdicts: readonly Verdict[]; changes: Changes } {
    const decided = decideAll(this, { now: this.now, hash, exclusive: this.exclusive }, writes);
    this.apply(decided.changes);
    return decided;
  }

  /** The answer to one write that must not be refused. */
  write<K extends WriteKind>(write: WriteOf<K>): AnswerTo<K> {
    const [verdict] = this.commit(write as unknown as Write).verdicts;
    if (verdict?.ok !== true) throw new Error(`refused: ${JSON.stringify(verdict)}`);
    return verdict.answer as AnswerTo<K>;
  }

  /** Gives the best claimable tasks to an engine. */
  claim(owner: string, limit = Number.POSITIVE_INFINITY): TaskRow[] {
    const ready = [...this.tasks.values()].filter(isClaimable).sort((a, b) => a.rank - b.rank);
    const claimed = ready.slice(0, limit).map((row) => ({ ...row, owner, fence: row.fence + 1 }));
    for (const row of claimed) this.tasks.set(row.task_id, row);
    return claimed;
  }

  apply(changes: Changes): void {
    for (const key of changes.pruned) this.#remove(key);
    for (const { row, body } of changes.newTasks) {
      this.tasks.set(row.task_id, row);
      this.bodies.set(row.task_id, body);
    }
    for (const { row } of changes.newRuns) this.runs.set(row.workflow_id, row);
    for (const row of changes.tasks) this.tasks.set(row.task_id, row);
    for (const row of changes.runs) this.runs.set(row.workflow_id, row);
    for (const row of changes.results) this.results.set(row.task_id, row);
    for (const row of changes.keys) this.keys.set(row.key, row);
    for (const row of changes.engines) this.engines.set(row.owner, row);
    for (const owner of changes.goneEngines) this.engines.delete(owner);
    for (const row of changes.documents) this.documents.set(`${row.collection}/${row.key}`, row);
    for (const name of changes.goneDocuments) this.documents.delete(`${name.collection}/${name.key}`);
    for (const row of changes.agents) this.agents.set(row.name, row);
    for (const name of changes.goneAgents) this.agents.delete(name);
    for (const happened of changes.happenings) {
      this.#cursor += happened.events.length;
      const events = eventsOf({ ...happened, cursor: this.#cursor, at: this.now });
      this.log.set(happened.run_key, [...(this.log.get(happened.run_key) ?? []), ...events]);
    }
  }

  #remove(run_key: string): void {
    for (const row of this.tasks.values()) {
      if (runKeyOf(row) !== run_key) continue;
      for (const table of [this.tasks, this.bodies, this.results]) table.delete(row.task_id);
    }
    for (const row of this.keys.values()) if (row.run_key === run_key) this.keys.delete(row.key);
    this.runs.delete(run_key);
    this.log.delete(run_key);
  }

  stored(run_key: string): StoredRun {
    const rows = [...this.tasks.values()].filter((row) => runKeyOf(row) === run_key);
    const tasks = rows.flatMap((row) => {
      const body = this.bodies.get(row.task_id);
      return body === undefined ? [] : [{ row, body }];
    });
    return { run: this.runs.get(run_key) ?? null, tasks };
  }

  /** How the log and the rows of all runs disagree. */
  disagreements(): string[] {
    return [...this.log].flatMap(([run_key, events]) =>
      run_key === null ? [] : differences(fold(events), stateOf(this.stored(run_key))),
    );
  }

  get cursor(): number {
    return this.#cursor;
  }
}

/** Stands for a hash: readable, and different for different texts. */
export function hash(text: string): string {
  return `#${text}`;
}

/** What a commit told, in one short line each. */
export function story(changes: Changes): string[] {
  return changes.happenings.flatMap(({ events }) =>
    events.map(({ event, task_id, data }) =>
      [event, task_id, JSON.stringify(data)].filter(Boolean).join(' '),
    ),
  );
}
