import type { Changes, DocumentRow, EngineRow, KeyRow } from '../../core/changes.ts';
import { type RunRow, runKeyOf } from '../../core/records.ts';
import { applyAgents } from './agents.ts';
import { applyTasks } from './apply-tasks.ts';
import { texts } from './arrays.ts';
import {
  type Column,
  inserting,
  integerColumn,
  type Numbered,
  over,
  requiringAll,
  rewriting,
  textColumn,
  unnested,
  within,
} from './columns.ts';
import { documentKey } from './needs.ts';
import { prune } from './prune.ts';
import type { LoadedRows } from './source.ts';
import type { Query, Statement } from './statement.ts';
import { inline } from './task-columns.ts';

/*
 * What one commit changes, as statements over whole columns. New rows are inserted plainly: a row that somebody else
 * inserted in the meantime is a duplicate key, and the commit is decided again with it in sight.
 */

const runKey: Column<RunRow> = textColumn('workflow_id', (row) => row.workflow_id);
const runState: readonly Column<RunRow>[] = [
  textColumn('status', (row) => row.status),
  integerColumn('open', (row) => row.open),
  integerColumn('failed', (row) => row.failed),
  integerColumn('seq', (row) => row.seq),
  integerColumn('settled_at', (row) => row.settled_at),
];
const runOrigin: readonly Column<RunRow>[] = [
  textColumn('name', (row) => row.name),
  textColumn('version', (row) => row.version),
  integerColumn('total', (row) => row.total),
  integerColumn('created_at', (row) => row.created_at),
  textColumn('body_hash', (row) => row.body_hash),
  textColumn('input_hash', (row) => row.input_hash),
  textColumn('retry_of', (row) => row.retry_of),
];
const newRunColumns: readonly Column<Numbered<RunRow>>[] = [
  integerColumn('n', ({ n }) => n),
  ...within([runKey, ...runOrigin, ...runState], ({ row }: Numbered<RunRow>) => row),
];
const insertRuns = inserting('run', newRunColumns);
const updateRuns = rewriting({ name: 'update_run', table: 'run', columns: [runKey, ...runState] });

/** A run that is remembered, and its counter of events as it is remembered. */
type RunStep = { readonly row: RunRow; readonly seq: number };
const updateAssumedRuns = requiringAll(
  rewriting<RunStep>({
    name: 'update_assumed_run',
    table: 'run',
    columns: within([runKey, ...runState], ({ row }: RunStep) => row),
    unchanged: integerColumn('seq', ({ seq }) => seq),
  }),
);

type NewRunRow = Changes['newRuns'][number];
const runInputColumns: readonly Column<NewRunRow>[] = [
  textColumn('workflow_id', ({ row }) => row.workflow_id),
  textColumn('hash', ({ row }) => row.input_hash),
  textColumn('input', ({ input }) => inline(input)),
];
const insertRunInputs = inserting('run_input', runInputColumns);

type Payload = { readonly run_key: string; readonly hash: string; readonly content: string };
const payloadColumns: readonly Column<Payload>[] = [
  textColumn('run_key', (row) => row.run_key),
  textColumn('hash', (row) => row.hash),
  textColumn('content', (row) => row.content),
];
const insertPayloads = inserting('payload', payloadColumns, 'ON CONFLICT DO NOTHING');

const keyColumns: readonly Column<KeyRow>[] = [
  textColumn('key', (row) => row.key),
  textColumn('run_key', (row) => row.run_key),
  textColumn('body_hash', (row) => row.body_hash),
];
const insertKeys = inserting('idempotency', keyColumns);

const engineColumns: readonly Column<EngineRow>[] = [
  textColumn('owner', (row) => row.owner),
  integerColumn('alive_until', (row) => row.alive_until),
];
const putEngines = inserting(
  'engine',
  engineColumns,
  'ON CONFLICT (owner) DO UPDATE SET alive_until = excluded.alive_until',
);
const removeEngines: Statement = {
  name: 'remove_engines',
  text: 'DELETE FROM engine WHERE owner = ANY($1::text[])',
};

const documentColumns: readonly Column<DocumentRow>[] = [
  textColumn('collection', (row) => row.collection),
  textColumn('key', (row) => row.key),
  textColumn('content', (row) => row.text),
  integerColumn('version', (row) => row.version),
];
const insertDocuments = inserting('document', documentColumns);
const updateDocuments: Statement = {
  name: 'update_documents',
  text: `UPDATE document d SET content = u.content, version = u.version
    FROM ${unnested(documentColumns)} WHERE d.collection = u.collection AND d.key = u.key`,
};
const removeDocuments: Statement = {
  name: 'remove_documents',
  text: `DELETE FROM document d USING unnest($1::text[], $2::text[]) AS u (collection, key)
    WHERE d.collection = u.collection AND d.key = u.key`,
};

/*
 * Statements are made one by one while the server works on those before. What a claim can see comes first, so that the
 * claim is on its way back while the rest is written.
 */

/** What is pruned goes first: its ids may be used again. */
export function* applyBeforeClaim(
  changes: Changes,
  rows: LoadedRows,
  taken: ReadonlySet<string>,
): Generator<Query> {
  const { newRuns, engines, goneEngines } = changes;
  yield* prune(changes.pruned);
  yield* applyRuns(changes, rows);
  const numbered = newRuns.map(({ row }) => ({ row, n: rows.runOrders.get(row.workflow_id) ?? 0 }));
  yield* over(insertRuns, newRunColumns, numbered);
  yield* over(insertRunInputs, runInputColumns, newRuns);
  yield* applyTasks(changes, rows, taken);
  yield* over(insertPayloads, payloadColumns, payloadsOf(changes));
  yield* over(putEngines, engineColumns, engines);
  if (goneEngines.length > 0) yield { statement: removeEngines, values: [texts(goneEngines)] };
}

/** Before their tasks, and those that are not locked yet by id. */
function* applyRuns({ runs }: Changes, rows: LoadedRows): Generator<Query> {
  const isAssumed = ({ workflow_id }: RunRow) => rows.assumedRuns.has(workflow_id);
  const steps = runs
    .filter(isAssumed)
    .map((row): RunStep => ({ row, seq: rows.runs.get(row.workflow_id)?.seq ?? -1 }))
    .sort((a, b) => (a.row.workflow_id < b.row.workflow_id ? -1 : 1));
  yield* over(updateAssumedRuns.statement, updateAssumedRuns.columns, steps, [steps.length]);
  const locked = runs.filter((row) => !isAssumed(row));
  yield* over(updateRuns.statement, updateRuns.columns, locked);
}

/** All but the events, which are numbered last. */
export function* applyAfterClaim(changes: Changes, rows: LoadedRows): Generator<Query> {
  yield* over(
    insertKeys,
    keyColumns,
    [...changes.keys].sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
  yield* applyDocuments(changes, rows);
  yield* applyAgents(changes, rows);
}

/** Texts too large to lie beside their record. */
function payloadsOf({ newTasks, newRuns, results }: Changes): Payload[] {
  const params = newTasks.map(({ row, body }) => ({
    run_key: runKeyOf(row),
    hash: body.params_hash,
    content: body.params,
  }));
  const inputs = newRuns.map(({ row, input }) => ({
    run_key: row.workflow_id,
    hash: row.input_hash,
    content: input,
  }));
  const outcomes = results.map(({ run_key, hash, result }) => ({ run_key, hash, content: result }));
  return [...params, ...inputs, ...outcomes].filter(({ content }) => inline(content) === null);
}

/** A document that was there when it was locked is rewritten, any other is new. */
function* applyDocuments({ documents, goneDocuments }: Changes, rows: LoadedRows): Generator<Query> {
  const isThere = (row: DocumentRow) => (rows.documents.get(documentKey(row)) ?? null) !== null;
  const isNew = (row: DocumentRow) => !isThere(row);
  yield* over(updateDocuments, documentColumns, documents.filter(isThere));
  yield* over(insertDocuments, documentColumns, documents.filter(isNew));
  if (goneDocuments.length === 0) return;
  const collections = texts(goneDocuments.map(({ collection }) => collection));
  yield { statement: removeDocuments, values: [collections, texts(goneDocuments.map(({ key }) => key))] };
}
