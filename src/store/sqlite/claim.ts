import type { DatabaseSync } from 'node:sqlite';
import type { Changes } from '../../core/changes.ts';
import { type HandOver, handOver } from '../../core/hand-over.ts';
import { CLAIM_INPUT_BUDGET, type ClaimRequest } from '../../core/ports/store.ts';
import { isFresh } from './apply-tasks.ts';
import { BODY_COLUMNS, type Shape, taskBody, wiringOf } from './bodies.ts';
import { prepare, type Query } from './connection.ts';
import type { Inputs, KnownResults } from './inputs.ts';
import { type Memory, SMALL_BODY } from './memory.ts';
import type { Payloads } from './payloads.ts';
import { OPEN_TASK_COLUMNS, TASK_WIDTH, taskRow, type Values } from './rows.ts';
import type { SqliteSource } from './source.ts';

export const claimSql = {
  best: 'SELECT rank, n FROM task WHERE place = 0 AND lane = ? ORDER BY rank, n LIMIT ?',
  take: `UPDATE task SET place = NULL, owner = ?, fence = fence + 1, slack = NULL
    WHERE n IN (SELECT value FROM json_each(?))`,
  /** A cross join goes through its tables in the order they are named, so the rows come in the order of the list. */
  taken: `SELECT ${OPEN_TASK_COLUMNS}, ${BODY_COLUMNS} FROM json_each(?) j
    CROSS JOIN task t ON t.n = j.value CROSS JOIN event b ON b.cursor = t.body_cursor`,
  run: 'SELECT n, input_hash, input FROM run WHERE workflow_id = ?',
} as const;

/**
 * A claimed task on its way to the engine, as it came from the tables: the columns of the task, those of its body with
 * the text of the params wherever it lay, and for a task that is connected to others its inputs and its run's input.
 */
export type ClaimedValues = unknown[];

/** A task that came with the same request: the rest of it is known there. */
export type FreshValues = readonly [task_id: string, seq: number, params_hash: string];

export type Claimed = {
  readonly lease_lost: boolean;
  readonly tasks: readonly Values[];
  /** The shapes that the tasks name by number. */
  readonly shapes: ReadonlyMap<number, Shape>;
};

const nothing: Claimed = { lease_lost: false, tasks: [], shapes: new Map() };

const SHAPE = TASK_WIDTH + 1;
const PARAMS_HASH = TASK_WIDTH + 2;
const WIRING = TASK_WIDTH + 3;
const PARAMS = TASK_WIDTH + 4;
/** Where the columns end. */
export const INPUTS = TASK_WIDTH + 5;

export class Claimer {
  readonly #memory: Memory;
  readonly #payloads: Payloads;
  readonly #inputs: Inputs;
  readonly #queries: Readonly<Record<keyof typeof claimSql, Query>>;

  constructor(
    db: DatabaseSync,
    { memory, payloads, inputs }: { memory: Memory; payloads: Payloads; inputs: Inputs },
  ) {
    this.#memory = memory;
    this.#payloads = payloads;
    this.#inputs = inputs;
    const entries = Object.entries(claimSql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof claimSql, Query>>;
  }

  /** Takes the best claimable tasks of the lanes for an engine the store knows. */
  claim({ owner, limit, lanes }: ClaimRequest): Claimed {
    const { engines } = this.#memory;
    if (engines.row(owner) === null) return { ...nothing, lease_lost: true };
    const numbers = this.#best(lanes, limit);
    if (numbers.length === 0) return nothing;
    const list = JSON.stringify(numbers);
    this.#queries.take.run(engines.numberOf(owner), list);
    return { lease_lost: false, ...this.#carry(this.#queries.taken.all(list) as ClaimedValues[], new Map()) };
  }

  /** Claims what the commit makes claimable before it is written; null where something else may come first. */
  handOver(claim: ClaimRequest, changes: Changes, source: SqliteSource): HandOver | null {
    const { drained, engines } = this.#memory;
    if (engines.row(claim.owner) === null || changes.goneEngines.includes(claim.owner)) return null;
    if (!claim.lanes.every((lane) => drained.has(lane))) return null;
    return handOver(changes, claim, (task_id) => source.known(task_id)?.n ?? 0);
  }

  /** What was handed over, as it is sent to the engine. It knows what it submitted itself with the same commit. */
  carry({ changes, taken }: HandOver): Claimed {
    if (taken.length === 0) return nothing;
    const bodies = new Map(changes.newTasks.map(({ body }) => [body.task_id, body]));
    const tasks: (ClaimedValues | FreshValues | null)[] = taken.map((row) => {
      const body = isFresh(row) ? bodies.get(row.task_id) : undefined;
      // One that waited for others was released by the same commit, and is not as its sender knows it.
      if (body === undefined || body.spec.dependencies.length > 0) return null;
      return [row.task_id, row.seq, body.params_hash];
    });
    const others = taken.filter((_, index) => tasks[index] === null);
    const numbers = others.map(({ task_id }) => this.#memory.held.get(task_id)?.n);
    const rows =
      others.length === 0 ? [] : (this.#queries.taken.all(JSON.stringify(numbers)) as ClaimedValues[]);
    const results = new Map(changes.results.map(({ task_id, result }) => [task_id, result]));
    const { shapes } = this.#carry(rows, results);
    let next = 0;
    return {
      lease_lost: false,
      tasks: tasks.map((values) => values ?? (rows[next++] as ClaimedValues)),
      shapes,
    };
  }

  #best(lanes: readonly string[], limit: number): number[] {
    const different = [...new Set(lanes)];
    const places = different.map(
      (lane) => this.#queries.best.all(lane, limit) as unknown as readonly [rank: number, n: number][],
    );
    const only = places.length === 1 ? places[0] : undefined;
    const best = only ?? places.flat().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    // All there is, and all of it is taken.
    if (best.length < limit) for (const lane of different) this.#memory.drained.add(lane);
    return best.slice(0, limit).map(([, n]) => n);
  }

  #carry(rows: readonly ClaimedValues[], results: KnownResults): Omit<Claimed, 'lease_lost'> {
    const { shapes: book } = this.#memory;
    const shapes = new Map<number, Shape>();
    let budget = CLAIM_INPUT_BUDGET;
    for (const values of rows) {
      const shape = values[SHAPE];
      if (typeof shape === 'number' && !shapes.has(shape)) shapes.set(shape, book.shapeOf(shape));
      if (values[PARAMS] === null)
        values[PARAMS] = this.#payloads.text(null, () => this.#runNumber(values), values[PARAMS_HASH]);
      this.#hold(values);
      if (values[WIRING] !== null) budget -= this.#feed(values, budget, results);
    }
    return { tasks: rows, shapes };
  }

  /** Whom a task is needed by is asked when it settles. */
  #hold(values: ClaimedValues): void {
    const { held, engines, shapes } = this.#memory;
    const row = taskRow(values, engines.nameOf);
    const n = values[0] as number;
    const params = values[PARAMS] as string;
    if (!row.has_dependents || params.length > SMALL_BODY) return void held.set(row.task_id, { n, row });
    const shape = shapes.shapeOf(values[SHAPE] as number | string);
    const body = taskBody(row.task_id, values, { at: TASK_WIDTH, shape, params });
    held.set(row.task_id, { n, row, body });
  }

  /** Adds what a task that is connected to others gets from them and from its run; answers how much of the budget. */
  #feed(values: ClaimedValues, budget: number, results: KnownResults): number {
    const wiring = wiringOf(values[WIRING]);
    const { inputs, size } = this.#inputs.upTo(wiring.inputs, budget, results);
    values.push(inputs, wiring.uses_input ? this.#runInput(values) : null);
    return size;
  }

  #runInput(values: Values): string | null {
    const run = values[2] === null ? undefined : this.#queries.run.first(values[2] as string);
    return run === undefined ? null : this.#payloads.text(run[2], () => run[0] as number, run[1]);
  }

  #runNumber(values: Values): number {
    if (values[2] === null) return values[0] as number;
    return this.#queries.run.first(values[2] as string)?.[0] as number;
  }
}
