import type { DatabaseSync } from 'node:sqlite';
import type { TaskInput } from '../../core/ports/store.ts';
import type { TaskStatus } from '../../core/task.ts';
import { taskStatusOf } from './codes.ts';
import { prepare, type Query } from './connection.ts';
import type { Payloads } from './payloads.ts';

export const inputSql = `SELECT t.status, r.hash, r.text, iif(t.workflow_id IS NULL, t.n, (
    SELECT n FROM run WHERE run.workflow_id = t.workflow_id))
  FROM task t LEFT JOIN event r ON r.cursor = t.result_cursor WHERE t.task_id = ?`;

export type InputValues = readonly [id: string, status: TaskStatus, result: string | null];

/** Results by `task_id`. */
export type KnownResults = ReadonlyMap<string, string>;

const nothingKnown: KnownResults = new Map();

/** What the params of tasks refer to: how other tasks of their run ended. */
export class Inputs {
  readonly #payloads: Payloads;
  readonly #query: Query;

  constructor(db: DatabaseSync, payloads: Payloads) {
    this.#payloads = payloads;
    this.#query = prepare(db, inputSql);
  }

  all(inputs: Readonly<Record<string, string>>): InputValues[] {
    return [...this.#each(inputs, nothingKnown)];
  }

  /** Null when the results have more than `budget` characters; stops reading there. `known` need not be read. */
  upTo(
    inputs: Readonly<Record<string, string>>,
    budget: number,
    known: KnownResults,
  ): { inputs: InputValues[] | null; size: number } {
    const carried: InputValues[] = [];
    let size = 0;
    for (const input of this.#each(inputs, known)) {
      size += input[2]?.length ?? 0;
      if (size > budget) return { inputs: null, size: 0 };
      carried.push(input);
    }
    return { inputs: carried, size };
  }

  *#each(inputs: Readonly<Record<string, string>>, known: KnownResults): Generator<InputValues> {
    for (const [id, task_id] of Object.entries(inputs)) {
      const result = known.get(task_id);
      if (result !== undefined) {
        yield [id, 'completed', result];
        continue;
      }
      const values = this.#query.first(task_id);
      if (values === undefined) continue;
      const [status, hash, inRow, run_n] = values;
      const text = hash === null ? null : this.#payloads.text(inRow, () => run_n as number, hash);
      yield [id, taskStatusOf(status), text];
    }
  }
}

export function inputsRecord(values: readonly InputValues[]): Record<string, TaskInput> {
  return Object.fromEntries(values.map(([id, status, result]) => [id, { status, result }]));
}
