import type { Changes } from '../../core/changes.ts';
import { ClaimLoad } from '../../core/claim-load.ts';
import { CLAIM_BUDGET, type ClaimedTask, type TaskInput } from '../../core/ports/store.ts';
import { isSettled } from '../../core/task.ts';
import { texts } from './arrays.ts';
import type { Claimed } from './claimed.ts';
import type { Memory } from './memory.ts';
import { resultText, runInputText, text } from './rows.ts';
import type { Session } from './session.ts';
import type { Query, Row, Statement } from './statement.ts';

/** Status and size of the results some tasks refer to: what a claim can carry is decided before they are read. */
const sizes: Statement = {
  name: 'size_inputs',
  text: 'SELECT task_id, coalesce(result_size, 0) FROM task WHERE task_id = ANY($1::text[])',
};

export const readInputs: Statement = {
  name: 'read_inputs',
  text: `SELECT t.task_id, t.status, ${resultText} FROM task t WHERE t.task_id = ANY($1::text[])`,
};

/** The inputs of runs in the given order, as long as they are no more than a claim carries. */
const readRunInputs: Statement = {
  name: 'read_run_inputs',
  text: `SELECT i.workflow_id, CASE WHEN sum(${runInputText('octet_length')})
      OVER (ORDER BY u.place ROWS UNBOUNDED PRECEDING) <= ${CLAIM_BUDGET} THEN ${runInputText('')} END
    FROM unnest($1::text[]) WITH ORDINALITY AS u (workflow_id, place) JOIN run_input i USING (workflow_id)`,
};

/** What claimed tasks refer to, by `task_id` and by `workflow_id`. */
export type KnownInputs = {
  readonly results: ReadonlyMap<string, TaskInput>;
  readonly runs: ReadonlyMap<string, string>;
};

/** What need not be read: what the commit itself settled or submitted, and what is remembered. */
export function knownInputs(claimed: readonly Claimed[], changes: Changes, memory: Memory): KnownInputs {
  return { results: knownResults(claimed, changes, memory), runs: knownRuns(claimed, changes, memory) };
}

function knownResults(
  claimed: readonly Claimed[],
  { tasks, results }: Changes,
  memory: Memory,
): Map<string, TaskInput> {
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

function knownRuns(claimed: readonly Claimed[], { newRuns }: Changes, memory: Memory): Map<string, string> {
  const known = new Map<string, string>();
  const wanted = runsReadBy(claimed);
  if (wanted.length === 0) return known;
  for (const workflow_id of wanted) {
    const input = memory.runInput(workflow_id);
    if (input !== null) known.set(workflow_id, input);
  }
  for (const { row, input } of newRuns) known.set(row.workflow_id, input);
  return known;
}

/** Adds to claimed tasks what their params refer to, up to the budget; the others read theirs when they start. */
export async function addInputs(
  session: Session,
  claimed: readonly Claimed[],
  known: KnownInputs,
): Promise<ClaimedTask[]> {
  const results = referredTo(claimed).filter((task_id) => !known.results.has(task_id));
  const runs = runsReadBy(claimed).filter((workflow_id) => !known.runs.has(workflow_id));
  const sizeOf = sizesOf(known.results);
  if (results.length + runs.length === 0) return carrying(claimed, known, fits(claimed, known.runs, sizeOf));
  const inputs = new Map(known.runs);
  await session.all(asking({ results, runs }, { sizeOf, inputs }));
  const fitting = fits(claimed, inputs, sizeOf);
  const carried = referredTo([...fitting]).filter((task_id) => !known.results.has(task_id));
  const rows = carried.length === 0 ? [] : await session.rows(readInputs, [texts(carried)]);
  const found = { results: new Map([...known.results, ...rows.map(inputOf)]), runs: inputs };
  return carrying(claimed, found, fitting);
}

function asking(
  { results, runs }: { results: readonly string[]; runs: readonly string[] },
  { sizeOf, inputs }: { sizeOf: Map<string, number>; inputs: Map<string, string> },
): Query[] {
  const takeSize = (row: Row) => void sizeOf.set(text(row[0]), Number(row[1]));
  const takeInput = ([workflow_id, input]: Row) => {
    if (input != null) inputs.set(text(workflow_id), input);
  };
  return [
    { statement: sizes, values: [texts(results)], take: (rows: readonly Row[]) => rows.forEach(takeSize) },
    {
      statement: readRunInputs,
      values: [texts(runs)],
      take: (rows: readonly Row[]) => rows.forEach(takeInput),
    },
  ].filter((_, index) => [results, runs][index]?.length !== 0);
}

function referredTo(claimed: readonly Claimed[]): string[] {
  return [...new Set(claimed.flatMap(({ body }) => Object.values(body.inputs)))];
}

function runsReadBy(claimed: readonly Claimed[]): string[] {
  return [...new Set(claimed.map(runReadBy).filter((workflow_id) => workflow_id !== null))];
}

function runReadBy({ task, body }: Claimed): string | null {
  return body.uses_input ? task.workflow_id : null;
}

function sizesOf(known: KnownInputs['results']): Map<string, number> {
  return new Map([...known].map(([task_id, { result }]) => [task_id, result?.length ?? 0]));
}

function carrying(claimed: readonly Claimed[], found: KnownInputs, fitting: ReadonlySet<Claimed>) {
  return claimed.map((one): ClaimedTask => {
    const { task, body } = one;
    if (!fitting.has(one)) return withoutPayloads(one);
    const run_input = found.runs.get(runReadBy(one) ?? '') ?? null;
    return {
      task,
      body,
      payloads: { params: body.params, inputs: inputsFrom(found.results, body.inputs), run_input },
    };
  });
}

export function withoutPayloads({ task, body }: Claimed): ClaimedTask {
  return { task, body, payloads: null };
}

/** The best ones, as long as a claim carries what they need. */
function fits(
  claimed: readonly Claimed[],
  runInputs: KnownInputs['runs'],
  sizeOf: ReadonlyMap<string, number>,
): Set<Claimed> {
  const load = new ClaimLoad();
  const fitting = claimed.filter((one) => {
    const { body, bare } = one;
    const workflow_id = runReadBy(one);
    const input = workflow_id === null ? '' : runInputs.get(workflow_id);
    if (bare || input === undefined) return load.close();
    let own = body.params.length;
    for (const task_id of Object.values(body.inputs)) own += sizeOf.get(task_id) ?? 0;
    return load.takes(own, workflow_id === null ? null : { workflow_id, input: input.length });
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
