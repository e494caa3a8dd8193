import type { DatabaseSync } from 'node:sqlite';
import type { ClaimLoad } from '../../core/claim-load.ts';
import { BODY_COLUMNS, bareBodyColumns, type Shape, taskBody, type Wiring, wiringOf } from './bodies.ts';
import { prepare, type Query } from './connection.ts';
import type { Inputs, InputValues, KnownResults } from './inputs.ts';
import { type Memory, SMALL_BODY } from './memory.ts';
import type { Payloads } from './payloads.ts';
import { OPEN_TASK_COLUMNS, TASK_WIDTH, taskRow, type Values } from './rows.ts';

/** A cross join goes through its tables in the order they are named, so the rows come in the order of the list. */
const taken = (body: string) => `SELECT ${OPEN_TASK_COLUMNS}, ${body} FROM json_each(?) j
    CROSS JOIN task t ON t.n = j.value CROSS JOIN event b ON b.cursor = t.body_cursor`;

export const carrySql = {
  taken: taken(BODY_COLUMNS),
  /** Without the texts, for what comes after the claim carries enough. */
  bare: taken(bareBodyColumns),
  run: 'SELECT n, input_hash, input FROM run WHERE workflow_id = ?',
} as const;

/** So many tasks are read at a time: their texts are in memory before it is known how many of them the claim carries. */
const AT_A_TIME = 128;

/**
 * A claimed task on its way to the engine, as it came from the tables: the columns of the task and those of its body
 * with the text of the params wherever it lay, or null where it goes without its payloads; and for a task that is
 * connected to others what it refers to, and whether it reads the input of its run.
 */
export type ClaimedValues = unknown[];

/** What a claim brings along. */
export type Carried = {
  readonly tasks: readonly ClaimedValues[];
  /** The shapes that the tasks name by number. */
  readonly shapes: ReadonlyMap<number, Shape>;
  /** By `workflow_id`: many tasks of a run share one text. */
  readonly runInputs: ReadonlyMap<string, string>;
};

const SHAPE = TASK_WIDTH + 1;
const PARAMS_HASH = TASK_WIDTH + 2;
const WIRING = TASK_WIDTH + 3;
const PARAMS = TASK_WIDTH + 4;
/** Where the columns end. */
export const INPUTS = TASK_WIDTH + 5;

/** Reads what engines need of the tasks that they are given. */
export class Carrier {
  readonly #memory: Memory;
  readonly #payloads: Payloads;
  readonly #inputs: Inputs;
  readonly #queries: Readonly<Record<keyof typeof carrySql, Query>>;

  constructor(
    db: DatabaseSync,
    { memory, payloads, inputs }: { memory: Memory; payloads: Payloads; inputs: Inputs },
  ) {
    this.#memory = memory;
    this.#payloads = payloads;
    this.#inputs = inputs;
    const entries = Object.entries(carrySql).map(([name, sql]) => [name, prepare(db, sql)]);
    this.#queries = Object.fromEntries(entries) as Readonly<Record<keyof typeof carrySql, Query>>;
  }

  /** The tasks of these numbers, in their order. */
  carry(numbers: readonly number[], load: ClaimLoad, results: KnownResults): Carried {
    const tasks: ClaimedValues[] = [];
    const shapes = new Map<number, Shape>();
    const runInputs = new Map<string, string>();
    for (let at = 0; at < numbers.length; at += AT_A_TIME) {
      const query = load.left > 0 ? this.#queries.taken : this.#queries.bare;
      for (const row of query.all(JSON.stringify(numbers.slice(at, at + AT_A_TIME)))) {
        const values = row as ClaimedValues;
        const shape = values[SHAPE];
        if (typeof shape === 'number' && !shapes.has(shape))
          shapes.set(shape, this.#memory.shapes.shapeOf(shape));
        this.#load(values, { load, results, runInputs });
        this.#hold(values);
        tasks.push(values);
      }
    }
    return { tasks, shapes, runInputs };
  }

  /** Puts the payloads of a task with its values, or takes them away where the claim carries enough. */
  #load(values: ClaimedValues, loading: Loading): void {
    const wiring = values[WIRING] === null ? null : wiringOf(values[WIRING]);
    const carried = loading.load.left > 0 ? this.#payloadsOf(values, wiring, loading) : null;
    if (carried === null) {
      loading.load.close();
      values[PARAMS] = null;
      return;
    }
    const { params, inputs, run } = carried;
    values[PARAMS] = params;
    if (wiring !== null) values.push(inputs, run !== null);
    if (run !== null) loading.runInputs.set(run.workflow_id, run.text);
  }

  #payloadsOf(
    values: ClaimedValues,
    wiring: Wiring | null,
    { load, results, runInputs }: Loading,
  ): CarriedTexts | null {
    const params = (values[PARAMS] as string | null) ?? this.#asideParams(values);
    const left = load.left - params.length;
    if (left < 0) return null;
    const { inputs, size } = wiring === null ? noInputs : this.#inputs.upTo(wiring.inputs, left, results);
    const workflow_id = values[2] as string | null;
    const reads = wiring?.uses_input === true && workflow_id !== null;
    const text = reads ? (runInputs.get(workflow_id) ?? this.#runInput(workflow_id)) : null;
    const run = text === null || workflow_id === null ? null : { workflow_id, text, input: text.length };
    if (inputs === null || !load.takes(params.length + size, run)) return null;
    return { params, inputs, run };
  }

  /** Whom a task is needed by is asked when it settles. */
  #hold(values: ClaimedValues): void {
    const { held, engines, shapes } = this.#memory;
    const row = taskRow(values, engines.nameOf);
    const n = values[0] as number;
    const params = values[PARAMS] as string | null;
    if (!row.has_dependents || params === null || params.length > SMALL_BODY)
      return void held.set(row.task_id, { n, row });
    const shape = shapes.shapeOf(values[SHAPE] as number | string);
    const body = taskBody(row.task_id, values, { at: TASK_WIDTH, shape, params });
    held.set(row.task_id, { n, row, body });
  }

  #asideParams(values: Values): string {
    const [n, , workflow_id] = values as [number, string, string | null];
    const runNumber = () =>
      workflow_id === null ? n : (this.#queries.run.first(workflow_id)?.[0] as number);
    return this.#payloads.text(null, runNumber, values[PARAMS_HASH]);
  }

  #runInput(workflow_id: string): string | null {
    const run = this.#queries.run.first(workflow_id);
    return run === undefined ? null : this.#payloads.text(run[2], () => run[0] as number, run[1]);
  }
}

type Loading = {
  readonly load: ClaimLoad;
  readonly results: KnownResults;
  readonly runInputs: Map<string, string>;
};

type CarriedTexts = {
  readonly params: string;
  readonly inputs: readonly InputValues[];
  readonly run: { readonly workflow_id: string; readonly text: string } | null;
};

const noInputs = { inputs: [], size: 0 };
