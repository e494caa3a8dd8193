import type { DatabaseSync } from 'node:sqlite';
import { Recent } from '../../core/recent.ts';
import type { RunRow, TaskBody, TaskRow } from '../../core/records.ts';
import { prepare, type Query } from './connection.ts';
import { EngineBook } from './engines.ts';
import { QueueTally } from './queue-tally.ts';
import { ShapeBook } from './shapes.ts';

/** Characters of params up to which the body of a task is kept at hand: many tasks are held. */
export const SMALL_BODY = 4096;
/** A few megabytes in all. */
const REMEMBERED_RUNS = { most: 2000, characters: 0 };
const REMEMBERED_TASKS = { most: 8000, characters: 0 };

export type Tally = Record<string, number>;
/** A record as it is stored, with its number. */
export type KnownTask = { readonly n: number; readonly row: TaskRow; readonly body?: TaskBody };
export type KnownRun = { readonly n: number; readonly row: RunRow };

/**
 * What the writer remembers between commits. All of it is in the tables too, and is loaded anew after a rollback. Only
 * one process writes to the store, so nothing else can change it.
 */
export class Memory {
  /** Number of the newest event. */
  cursor = 0;
  newest = 0;
  taskTally: Tally = {};
  runTally: Tally = {};
  readonly queue = new QueueTally();
  /** The tasks that engines hold: the ones that the next commits are about. */
  readonly held = new Map<string, KnownTask>();
  /** Runs and waiting tasks that were used last: a step of a run is about its neighbours. */
  readonly runs = new Recent<KnownRun>(REMEMBERED_RUNS);
  readonly waiting = new Recent<KnownTask>(REMEMBERED_TASKS);
  /** Lanes in which nothing is claimable. */
  readonly drained = new Set<string>();
  readonly engines: EngineBook;
  readonly shapes: ShapeBook;
  #nextN = 1;
  readonly #load: Query;
  readonly #save: Query;

  constructor(db: DatabaseSync) {
    this.#load = prepare(db, 'SELECT cursor, newest, next_n, task_tally, run_tally, queue_tally FROM meta');
    this.#save = prepare(
      db,
      `UPDATE meta SET cursor = ?, newest = ?, next_n = ?, task_tally = ?, run_tally = ?, queue_tally = ?
       WHERE id = 1`,
    );
    this.engines = new EngineBook(db);
    this.shapes = new ShapeBook(db);
    this.#loadMeta();
  }

  load(): void {
    this.held.clear();
    this.runs.clear();
    this.waiting.clear();
    this.drained.clear();
    this.engines.load();
    this.shapes.load();
    this.#loadMeta();
  }

  #loadMeta(): void {
    const values = this.#load.first() as [number, number, number, string, string, string];
    [this.cursor, this.newest, this.#nextN] = values;
    this.taskTally = JSON.parse(values[3]) as Tally;
    this.runTally = JSON.parse(values[4]) as Tally;
    this.queue.load(values[5]);
  }

  save(now: number): void {
    this.newest = Math.max(this.newest, now);
    const tallies = [JSON.stringify(this.taskTally), JSON.stringify(this.runTally), this.queue.text()];
    this.#save.run(this.cursor, this.newest, this.#nextN, ...tallies);
  }

  takeN(): number {
    return this.#nextN++;
  }
}

/** Counts a record from one status to another; null for "not there". */
export function move(tally: Tally, from: string | null, to: string | null): void {
  if (from === to) return;
  if (from !== null) tally[from] = (tally[from] ?? 0) - 1;
  if (to !== null) tally[to] = (tally[to] ?? 0) + 1;
}
