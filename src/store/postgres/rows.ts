import type { DocumentRow, EngineRow, KeyRow } from '../../core/changes.ts';
import type { EventRow } from '../../core/events.ts';
import type { AttemptRecord, ResultRow, RunRow, TaskBody, TaskRow } from '../../core/records.ts';
import { eventsFrom } from './event-text.ts';
import type { Row } from './statement.ts';

/*
 * What SQL returns, as records. Columns come by position, in the order of these lists; what was written by `apply` is
 * trusted (the words of a closed list, JSON that we made).
 */

/** The columns of a task; `holder` and `fence` say where those two come from. */
function columnsOfTask(holder: string, fence: string): string {
  return `t.task_id, t.workflow_id, t.id, t.lane, t.priority, t.on_failure, t.has_dependents, t.total_timeout,
    t.created_at, t.status, t.pending, t.blocked, t.rank, t.parked, ${holder}, ${fence}, t.suspect,
    t.attempt_count, t.attempt_base, t.generation, t.attempts, t.budget_from, t.due_at, t.expires_at,
    t.settled_at, t.error, t.result_hash, t.seq, t.n`;
}

/** A task under the alias `t`, joined with its claim by `claimOfTask`. */
export const taskColumns = columnsOfTask('h.owner', 'coalesce(h.fence, t.fence)');
export const claimOfTask = 'LEFT JOIN held h ON h.n = t.n';
/** A task under the alias `t` alone; who holds it is read after it is locked. */
export const unheldColumns = columnsOfTask('NULL', 't.fence');

export const TASK_WIDTH = 29;

export function taskOf(row: Row): TaskRow {
  return {
    task_id: text(row[0]),
    workflow_id: row[1] ?? null,
    id: row[2] ?? text(row[0]),
    lane: text(row[3]),
    priority: text(row[4]) as TaskRow['priority'],
    on_failure: text(row[5]) as TaskRow['on_failure'],
    has_dependents: row[6] === 't',
    total_timeout: numberOrNull(row[7]),
    created_at: Number(row[8]),
    status: text(row[9]) as TaskRow['status'],
    pending: Number(row[10]),
    blocked: Number(row[11]),
    rank: Number(row[12]),
    parked: row[13] ?? null,
    owner: row[14] ?? null,
    fence: Number(row[15]),
    suspect: row[16] === 't',
    attempt_count: Number(row[17]),
    attempt_base: Number(row[18]),
    generation: Number(row[19]),
    attempts: attemptsOf(row[20]),
    budget_from: numberOrNull(row[21]),
    due_at: numberOrNull(row[22]),
    expires_at: numberOrNull(row[23]),
    settled_at: numberOrNull(row[24]),
    error: row[25] == null ? null : JSON.parse(row[25]),
    result_hash: row[26] ?? null,
    seq: Number(row[27]),
  };
}

type AttemptValues = readonly [
  attempt: number,
  started_at: number,
  ended_at: number | null,
  provider: string | null,
  error?: AttemptRecord['error'],
  progress?: AttemptRecord['progress'] | null,
  outside?: AttemptRecord['outside'],
];

export function attemptsText(attempts: readonly AttemptRecord[]): string | null {
  if (attempts.length === 0) return null;
  const values = attempts.map(
    ({ attempt, started_at, ended_at, provider, error, progress, outside }): AttemptValues => {
      const usual = [attempt, started_at, ended_at, provider] as const;
      if (outside !== undefined) return [...usual, error, progress ?? null, outside];
      if (progress !== undefined) return [...usual, error, progress];
      return error === null ? usual : [...usual, error];
    },
  );
  return JSON.stringify(values);
}

export function attemptsOf(json: string | null | undefined): AttemptRecord[] {
  if (json == null) return [];
  const values: readonly AttemptValues[] = JSON.parse(json);
  return values.map(([attempt, started_at, ended_at, provider, error = null, progress, outside]) => {
    const usual = { attempt, started_at, ended_at, provider, error };
    if (progress === undefined) return usual;
    return { ...usual, ...(progress && { progress }), ...(outside && { outside }) };
  });
}

/** Its place in the order of acceptance. */
export function taskOrder(row: Row): number {
  return Number(row[TASK_WIDTH - 1]);
}

/** Something of params that are too large to lie with their body. */
export function asideParams(what: string): string {
  return `(SELECT ${what} FROM payload p
    WHERE p.run_key = coalesce(t.workflow_id, t.task_id) AND p.hash = b.params_hash)`;
}

/** The columns of a body under the alias `b`, its params wherever they lie; `t` is its task. */
export const bodyColumns = `t.task_id, b.spec, coalesce(b.params, ${asideParams('p.content')}),
  b.params_hash, b.dependents, b.inputs, b.uses_input`;
export const BODY_WIDTH = 7;

export function bodyOf(row: Row, at = 0): TaskBody {
  const dependents = row[at + 4];
  const inputs = row[at + 5];
  return {
    task_id: text(row[at]),
    spec: specOf(text(row[at + 1])),
    params: row[at + 2] ?? '',
    params_hash: text(row[at + 3]),
    dependents: dependents == null ? [] : JSON.parse(dependents),
    inputs: inputs == null ? {} : JSON.parse(inputs),
    uses_input: row[at + 6] === 't',
  };
}

const SPECS_KEPT = 256;
const specs = new Map<string, TaskBody['spec']>();

/** Tasks of one kind have the same text, and there are few kinds: it is parsed once. */
function specOf(json: string): TaskBody['spec'] {
  const known = specs.get(json);
  if (known !== undefined) return known;
  // One that belongs to a trace is the only one of its kind.
  if (json.includes('"traceparent":"')) return JSON.parse(json);
  if (specs.size >= SPECS_KEPT) specs.clear();
  const spec: TaskBody['spec'] = JSON.parse(json);
  specs.set(json, spec);
  return spec;
}

/** The columns of a run under the alias `r`. */
export const runColumns = `r.workflow_id, r.name, r.version, r.status, r.total, r.open, r.failed, r.seq, r.created_at,
  r.settled_at, r.body_hash, r.input_hash, r.retry_of, r.n`;
const RUN_ORDER = 13;
export const RUN_WIDTH = 14;

export function runOf(row: Row): RunRow {
  return {
    workflow_id: text(row[0]),
    name: text(row[1]),
    version: row[2] ?? null,
    status: text(row[3]) as RunRow['status'],
    total: Number(row[4]),
    open: Number(row[5]),
    failed: Number(row[6]),
    seq: Number(row[7]),
    created_at: Number(row[8]),
    settled_at: numberOrNull(row[9]),
    body_hash: text(row[10]),
    input_hash: text(row[11]),
    retry_of: row[12] ?? null,
  };
}

export function runOrder(row: Row): number {
  return Number(row[RUN_ORDER]);
}

/** The result of a task under the alias `t`, its text wherever it lies. Only a completed task has one, and for good. */
export const resultText = `coalesce(t.result, (SELECT p.content FROM payload p
  WHERE p.run_key = coalesce(t.workflow_id, t.task_id) AND p.hash = t.result_hash))`;
export const resultColumns = `t.task_id, coalesce(t.workflow_id, t.task_id), ${resultText}, t.result_hash, t.settled_at`;
export const hasResult = 't.result_size IS NOT NULL';

/** What a run was given, under the alias `i`, wherever it lies; or what `of` makes of it. */
export function runInputText(of: string): string {
  return `coalesce(${of}(i.input), (SELECT ${of}(p.content) FROM payload p
    WHERE p.run_key = i.workflow_id AND p.hash = i.hash))`;
}

/** The input of the run `key`. */
export function runInput(key: string): string {
  return `(SELECT ${runInputText('')} FROM run_input i WHERE i.workflow_id = ${key})`;
}

export function resultOf(row: Row, at = 0): ResultRow {
  return {
    task_id: text(row[at]),
    run_key: text(row[at + 1]),
    result: row[at + 2] ?? '',
    hash: text(row[at + 3]),
    stored_at: Number(row[at + 4]),
  };
}

/** A row of the log under the alias `e`, and for a task alone under `b` what introduces it. */
export const eventColumns = 'e.cursor, e.run_key, e.lone, e.first_seq, e.at, e.events, b.spec, b.params_hash';

export function eventRowOf(row: Row, at = 0): EventRow {
  const run_key = row[at + 1] ?? null;
  const body = () => ({ spec: specOf(text(row[at + 6])), params_hash: text(row[at + 7]) });
  return {
    cursor: Number(row[at]),
    run_key,
    workflow_id: row[at + 2] === 't' ? null : run_key,
    first_seq: Number(row[at + 3]),
    at: Number(row[at + 4]),
    events: eventsFrom(text(row[at + 5]), run_key, body),
  };
}

export function keyOf(row: Row): KeyRow {
  return { key: text(row[0]), run_key: text(row[1]), body_hash: text(row[2]) };
}

export function engineOf(row: Row): EngineRow {
  return { owner: text(row[0]), alive_until: Number(row[1]) };
}

export function documentOf(row: Row): DocumentRow {
  return { collection: text(row[0]), key: text(row[1]), text: text(row[2]), version: Number(row[3]) };
}

export function text(value: string | null | undefined): string {
  return value ?? '';
}

export function numberOrNull(value: string | null | undefined): number | null {
  return value == null ? null : Number(value);
}
