import { MAX_RESULTS } from '../api/methods/workflow.ts';
import type { ResultOf } from '../api/methods.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { ResultRow, TaskRow } from '../core/records.ts';
import { maySeal } from '../core/secrets.ts';
import { didYouMean } from '../core/suggest.ts';
import { isSettled } from '../core/task.ts';
import type { Outcome, RunOutcome } from '../engine/outcomes.ts';
import { maskedView } from '../engine/views.ts';
import { RawJson } from '../rpc/messages.ts';
import { timeText } from './views.ts';

/** A result is kept as text and goes out as text: nobody looks inside on the way, unless there may be a secret. */
function shown(text: string): string {
  return maySeal(text) ? JSON.stringify(maskedView(text)) : text;
}

/** How a task ended, or how far it is. */
export function resultAnswer(outcome: Outcome): ResultOf<'task.result'> | RawJson {
  const { task_id, status, result, error, stored_at } = outcome;
  // An open task may carry how its last attempt ended; whoever asks for the result would take that for the end.
  if (status !== 'completed')
    return { task_id, status, ...(error === null || !isSettled(status) ? {} : { error }) };
  const at = stored_at === null ? '' : `,"stored_at":"${timeText(stored_at)}"`;
  const head = `"task_id":${JSON.stringify(task_id)},"status":"completed"`;
  return new RawJson(`{${head},"result":${shown(result ?? 'null')}${at}}`);
}

const PAGE = 500;
/** Results that are in memory at the same time before it is known how long they are. */
const AT_ONCE = 16;

type Reads = Pick<StoreReads, 'tasks' | 'result' | 'runResults'>;

/** The results of a run, as many as there are and fit into one answer. */
export async function runAnswer(
  reads: Reads,
  { workflow_id, status }: RunOutcome,
  wanted: readonly string[] | undefined,
): Promise<RawJson> {
  const asked = wanted === undefined ? null : new Set(wanted);
  const open = new Set(wanted);
  const parts: string[] = [];
  let length = 0;
  for await (const [id, { result }] of completed(reads, workflow_id, asked)) {
    const text = `${JSON.stringify(id)}:${shown(result)}`;
    length += text.length;
    if (length > MAX_RESULTS) throw tooMuch();
    parts.push(text);
    open.delete(id);
  }
  if (open.size > 0) await requireKnown(reads, workflow_id, open);
  const head = `"workflow_id":${JSON.stringify(workflow_id)},"status":"${status}"`;
  return new RawJson(`{${head},"results":{${parts.join(',')}}}`);
}

/** Short ids and results in the order of the workflow. What few tasks have is read at once, of many one page at a time. */
async function* completed(
  reads: Reads,
  workflow_id: string,
  asked: ReadonlySet<string> | null,
): AsyncGenerator<readonly [string, ResultRow]> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const { items, next_cursor } = await completedTasks(reads, workflow_id, cursor);
    const rows = items.filter(({ id }) => asked === null || asked.has(id));
    if (cursor === undefined && next_cursor === null && items.length <= AT_ONCE) {
      const all = new Map(Object.entries(await reads.runResults(workflow_id)));
      yield* rows.flatMap((row) => named(row, all.get(row.id)));
    } else yield* oneByOne(reads, rows);
    cursor = next_cursor;
  }
}

async function* oneByOne(
  reads: Reads,
  rows: readonly TaskRow[],
): AsyncGenerator<readonly [string, ResultRow]> {
  for (let first = 0; first < rows.length; first += AT_ONCE) {
    const some = rows.slice(first, first + AT_ONCE);
    const results = await Promise.all(some.map(({ task_id }) => reads.result(task_id)));
    yield* some.flatMap((row, index) => named(row, results[index]));
  }
}

function completedTasks(reads: Reads, workflow_id: string, cursor: string | undefined) {
  const from = cursor === undefined ? {} : { cursor };
  return reads.tasks({ workflow_id, status: ['completed'], order: 'oldest', limit: PAGE, ...from });
}

function named({ id }: TaskRow, stored: ResultRow | null | undefined): (readonly [string, ResultRow])[] {
  return stored === null || stored === undefined ? [] : [[id, stored]];
}

/** What has no result yet is one of its tasks all the same; anything else is a slip of whoever asks. */
async function requireKnown(reads: Reads, workflow_id: string, open: Set<string>): Promise<void> {
  const known: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && open.size > 0) {
    const from = cursor === undefined ? {} : { cursor };
    const page = await reads.tasks({ workflow_id, order: 'oldest', limit: PAGE, ...from });
    for (const { id } of page.items) {
      known.push(id);
      open.delete(id);
    }
    cursor = page.next_cursor;
  }
  const [unknown] = open;
  if (unknown === undefined) return;
  const reason = `the run has no task ${JSON.stringify(unknown.slice(0, 80))}`;
  const hint = didYouMean(unknown, known, 'its tasks');
  throw new GleitzeitError('GLZ1012', `tasks: ${reason}`, { field: 'tasks', reason, hint });
}

function tooMuch(): GleitzeitError {
  const reason = `the results are longer than ${MAX_RESULTS} characters`;
  return new GleitzeitError('GLZ1007', reason, {
    field: 'tasks',
    reason,
    hint: 'name the tasks you need in `tasks`, or ask for each with task.result',
  });
}
