import { CLAIM_INPUT_BUDGET, type ClaimedTask, type TaskInput } from '../../core/ports/store.ts';
import { texts } from './arrays.ts';
import type { Claimed } from './claimed.ts';
import { resultText, text } from './rows.ts';
import type { Row, Session, Statement } from './session.ts';

/** Status and size of the results some tasks refer to: what a claim can carry is decided before they are read. */
const sizes: Statement = {
  name: 'size_inputs',
  text: 'SELECT task_id, coalesce(result_size, 0) FROM task WHERE task_id = ANY($1::text[])',
};

export const readInputs: Statement = {
  name: 'read_inputs',
  text: `SELECT t.task_id, t.status, ${resultText} FROM task t WHERE t.task_id = ANY($1::text[])`,
};

/** Adds to claimed tasks the results they refer to, up to the budget; the others get theirs when they start. */
export async function addInputs(session: Session, claimed: readonly Claimed[]): Promise<ClaimedTask[]> {
  const wanted = claimed.flatMap(({ body }) => Object.values(body.inputs));
  if (wanted.length === 0) return claimed.map((task) => claimedTask(task, {}));
  const sizeOf = new Map(
    (await session.rows(sizes, [texts(unique(wanted))])).map((row) => [text(row[0]), Number(row[1])]),
  );
  const fitting = fits(claimed, sizeOf);
  const carried = [...fitting].flatMap(({ body }) => Object.values(body.inputs));
  const rows = await session.rows(readInputs, [texts(unique(carried))]);
  const found = new Map(rows.map((row) => [text(row[0]), inputOf(row)]));
  return claimed.map((task) =>
    claimedTask(task, fitting.has(task) ? inputsFrom(found, task.body.inputs) : null),
  );
}

export function claimedTask({ task, body, run_input }: Claimed, inputs: ClaimedTask['inputs']): ClaimedTask {
  return { task, body, inputs, run_input };
}

/** In the order of the claim, each that still fits into what the ones before left over. */
function fits(claimed: readonly Claimed[], sizeOf: ReadonlyMap<string, number>): Set<Claimed> {
  let budget = CLAIM_INPUT_BUDGET;
  const fitting = claimed.filter(({ body }) => {
    const size = Object.values(body.inputs).reduce((sum, task_id) => sum + (sizeOf.get(task_id) ?? 0), 0);
    if (size > budget) return false;
    budget -= size;
    return true;
  });
  return new Set(fitting);
}

export function inputOf(row: Row): TaskInput {
  return { status: text(row[1]) as TaskInput['status'], result: row[2] ?? null };
}

/** Short id → input, for those that are stored. */
export function inputsFrom(
  found: ReadonlyMap<string, TaskInput>,
  wanted: Readonly<Record<string, string>>,
): Record<string, TaskInput> {
  const entries = Object.entries(wanted).map(([id, task_id]) => [id, found.get(task_id)] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, TaskInput] => entry[1] !== undefined),
  );
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
