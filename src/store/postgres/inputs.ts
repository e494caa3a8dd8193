import type { Changes } from '../../core/changes.ts';
import { CLAIM_INPUT_BUDGET, type ClaimedTask, type TaskInput } from '../../core/ports/store.ts';
import { isSettled } from '../../core/task.ts';
import { texts } from './arrays.ts';
import type { Claimed } from './claimed.ts';
import type { Memory } from './memory.ts';
import { resultText, text } from './rows.ts';
import type { Session } from './session.ts';
import type { Row, Statement } from './statement.ts';

/** Status and size of the results some tasks refer to: what a claim can carry is decided before they are read. */
const sizes: Statement = {
  name: 'size_inputs',
  text: 'SELECT task_id, coalesce(result_size, 0) FROM task WHERE task_id = ANY($1::text[])',
};

export const readInputs: Statement = {
  name: 'read_inputs',
  text: `SELECT t.task_id, t.status, ${resultText} FROM task t WHERE t.task_id = ANY($1::text[])`,
};

export type KnownInputs = ReadonlyMap<string, TaskInput>;

/** What claimed tasks refer to and need not be read: what the commit itself settled, and what is remembered. */
export function knownInputs(
  claimed: readonly Claimed[],
  { tasks, results }: Changes,
  memory: Memory,
): KnownInputs {
  const known = new Map<string, TaskInput>();
  const wanted = referredTo(claimed);
  if (wanted.length === 0) return known;
  for (const task_id of wanted) {
    const input = memory.input(task_id);
    if (input !== undefined) known.set(task_id, input);
  }
  for (const { task_id, status } of tasks) {
    if (isSettled(status) && status !== 'completed') known.set(task_id, { status, result: null });
  }
  for (const { task_id, result } of results) known.set(task_id, { status: 'completed', result });
  return known;
}

/** Adds to claimed tasks the results they refer to, up to the budget; the others get theirs when they start. */
export async function addInputs(
  session: Session,
  claimed: readonly Claimed[],
  known: KnownInputs,
): Promise<ClaimedTask[]> {
  const unknown = referredTo(claimed).filter((task_id) => !known.has(task_id));
  if (unknown.length === 0) return carrying(claimed, known, fits(claimed, sizesOf(known)));
  const sized = await session.rows(sizes, [texts(unknown)]);
  const sizeOf = sizesOf(known);
  for (const row of sized) sizeOf.set(text(row[0]), Number(row[1]));
  const fitting = fits(claimed, sizeOf);
  const carried = referredTo([...fitting]).filter((task_id) => !known.has(task_id));
  const rows = await session.rows(readInputs, [texts(carried)]);
  return carrying(claimed, new Map([...known, ...rows.map(inputOf)]), fitting);
}

function referredTo(claimed: readonly Claimed[]): string[] {
  return [...new Set(claimed.flatMap(({ body }) => Object.values(body.inputs)))];
}

function sizesOf(known: KnownInputs): Map<string, number> {
  return new Map([...known].map(([task_id, { result }]) => [task_id, result?.length ?? 0]));
}

function carrying(claimed: readonly Claimed[], found: KnownInputs, fitting: ReadonlySet<Claimed>) {
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

export function inputOf(row: Row): [task_id: string, TaskInput] {
  return [text(row[0]), { status: text(row[1]) as TaskInput['status'], result: row[2] ?? null }];
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
