import type { AgentRow } from '../../core/agent.ts';
import type { Changes, DocumentRow, EngineRow, KeyRow } from '../../core/changes.ts';
import { isInLine } from '../../core/parked.ts';
import {
  isClaimable,
  type ResultRow,
  type RunRow,
  runKeyOf,
  type TaskBody,
  type TaskRow,
} from '../../core/records.ts';
import { isSettled } from '../../core/task.ts';
import type { Write } from '../../core/writes.ts';
import { EventLog } from './event-log.ts';
import { freeze } from './freeze.ts';
import { Index } from './index-of-ids.ts';

/** One commit as it became durable. */
export type Committed = {
  readonly at: number;
  readonly writes: readonly Write[];
  readonly changes: Changes;
  /** Tasks as they are after the claim. */
  readonly claimed: readonly TaskRow[];
};

/**
 * What outlives every process: the tables of a store, in memory. Pure data, without clock or I/O; records are frozen
 * when they are put down.
 */
export class SimulatedData {
  readonly tasks = new Map<string, TaskRow>();
  readonly bodies = new Map<string, TaskBody>();
  readonly runs = new Map<string, RunRow>();
  readonly inputs = new Map<string, string>();
  readonly results = new Map<string, ResultRow>();
  readonly keys = new Map<string, KeyRow>();
  readonly engines = new Map<string, EngineRow>();
  readonly documents = new Map<string, DocumentRow>();
  readonly agents = new Map<string, AgentRow>();
  readonly events = new EventLog();
  /** Every commit since the beginning, in the order they became durable. */
  readonly journal: Committed[] = [];

  readonly tasksOfRun = new Index();
  readonly openOfRun = new Index();
  readonly claimableOfLane = new Index();
  readonly waitingInLine = new Index();
  readonly due = new Set<string>();
  readonly owned = new Set<string>();
  /** Runs and lone tasks that have settled. */
  readonly settled = new Map<string, number>();
  readonly #taskOrder = new Map<string, number>();
  readonly #runOrder = new Map<string, number>();
  #accepted = 0;

  /** The place of a task in the order of acceptance. */
  orderOf(task_id: string): number {
    return this.#taskOrder.get(task_id) ?? 0;
  }

  orderOfRun(workflow_id: string): number {
    return this.#runOrder.get(workflow_id) ?? 0;
  }

  /** All of it at once: whoever reads sees the state before or after, never between. */
  apply(changes: Changes, at: number): void {
    for (const run_key of changes.pruned) this.#prune(run_key);
    for (const { row, input } of changes.newRuns) this.#addRun(row, input);
    for (const { row, body } of changes.newTasks) this.#addTask(row, body);
    for (const row of changes.runs) this.#putRun(row);
    for (const row of changes.tasks) this.putTask(row);
    for (const row of changes.results) this.results.set(row.task_id, freeze(row));
    for (const row of changes.keys) this.keys.set(row.key, freeze(row));
    for (const row of changes.engines) this.engines.set(row.owner, freeze(row));
    for (const owner of changes.goneEngines) this.engines.delete(owner);
    for (const row of changes.documents)
      this.documents.set(documentKey(row.collection, row.key), freeze(row));
    for (const { collection, key } of changes.goneDocuments)
      this.documents.delete(documentKey(collection, key));
    for (const row of changes.agents) this.agents.set(row.name, freeze(row));
    for (const name of changes.goneAgents) this.agents.delete(name);
    this.events.append(changes.happenings, at);
  }

  putTask(row: TaskRow): void {
    const { task_id } = row;
    const line = this.tasks.get(task_id)?.parked ?? null;
    if (isInLine(line)) this.waitingInLine.mark(line, task_id, false);
    if (isInLine(row.parked)) this.waitingInLine.mark(row.parked, task_id, true);
    this.tasks.set(task_id, freeze(row));
    this.openOfRun.mark(runKeyOf(row), task_id, !isSettled(row.status));
    this.claimableOfLane.mark(row.lane, task_id, isClaimable(row));
    mark(this.due, task_id, row.owner === null && row.due_at !== null);
    mark(this.owned, task_id, row.owner !== null);
    if (row.workflow_id === null) this.#markSettled(task_id, row.settled_at);
  }

  /** As a restart of the only process that could hold the data leaves them: nobody is alive. */
  expireEngines(): void {
    for (const { owner } of this.engines.values()) {
      this.engines.set(owner, freeze({ owner, alive_until: -1 }));
    }
  }

  #addTask(row: TaskRow, body: TaskBody): void {
    this.#taskOrder.set(row.task_id, ++this.#accepted);
    this.bodies.set(row.task_id, freeze(body));
    this.tasksOfRun.mark(runKeyOf(row), row.task_id, true);
    this.putTask(row);
  }

  #addRun(row: RunRow, input: string): void {
    this.#runOrder.set(row.workflow_id, ++this.#accepted);
    this.inputs.set(row.workflow_id, input);
    this.#putRun(row);
  }

  #putRun(row: RunRow): void {
    this.runs.set(row.workflow_id, freeze(row));
    this.#markSettled(row.workflow_id, row.settled_at);
  }

  #markSettled(run_key: string, settled_at: number | null): void {
    if (settled_at === null) this.settled.delete(run_key);
    else this.settled.set(run_key, settled_at);
  }

  #prune(run_key: string): void {
    for (const task_id of [...this.tasksOfRun.ids(run_key)]) this.#removeTask(task_id, run_key);
    this.runs.delete(run_key);
    this.inputs.delete(run_key);
    this.settled.delete(run_key);
    this.#runOrder.delete(run_key);
    for (const row of this.keys.values()) if (row.run_key === run_key) this.keys.delete(row.key);
    this.events.remove(run_key);
  }

  #removeTask(task_id: string, run_key: string): void {
    const lane = this.tasks.get(task_id)?.lane;
    if (lane !== undefined) this.claimableOfLane.mark(lane, task_id, false);
    this.tasksOfRun.mark(run_key, task_id, false);
    this.openOfRun.mark(run_key, task_id, false);
    this.due.delete(task_id);
    this.owned.delete(task_id);
    this.tasks.delete(task_id);
    this.bodies.delete(task_id);
    this.results.delete(task_id);
    this.#taskOrder.delete(task_id);
  }
}

function mark(set: Set<string>, id: string, member: boolean): void {
  if (member) set.add(id);
  else set.delete(id);
}

export function documentKey(collection: string, key: string): string {
  return JSON.stringify([collection, key]);
}
