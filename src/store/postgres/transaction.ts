import type { Changes } from '../../core/changes.ts';
import { emptiedLanes } from '../../core/claim-bounds.ts';
import type { CommitAnswer, CommitRequest } from '../../core/ports/store.ts';
import { hashText } from '../hash.ts';
import { applyAfterClaim, applyBeforeClaim } from './apply.ts';
import { type ClaimAnswer, claim } from './claim.ts';
import type { Claimed } from './claimed.ts';
import { claimAtOnce, directClaims } from './direct.ts';
import { makesReady } from './hints.ts';
import { addInputs, type KnownInputs, knownInputs, withoutPayloads } from './inputs.ts';
import { listQueries, needsLists } from './lists.ts';
import { load } from './load.ts';
import type { Memory } from './memory.ts';
import { isSatisfied, type Needs, needsOf, noNeeds } from './needs.ts';
import { number } from './number.ts';
import type { Session } from './session.ts';
import { type Decided, decideLoaded, LoadedRows } from './source.ts';
import type { Query, Row, Statement } from './statement.ts';
import { goneWith, tally } from './tally.ts';

const begin: Statement = { name: 'begin', text: 'BEGIN' };
const commit: Statement = { name: 'commit', text: 'COMMIT' };
const clock: Statement = { name: 'clock', text: 'SELECT now_ms()' };
const clockAndNumbers: Statement = {
  name: 'clock_and_numbers',
  text: `SELECT now_ms(), nextval('acceptance') FROM generate_series(1, $1::integer)`,
};
/** How many numbers one step of the sequence is good for. */
const BLOCK = 1024;

/** Rounds of deciding after which everything downstream is loaded at once, however far it goes. */
const SHALLOW_ROUNDS = 2;

/** Told when COMMIT is on its way: from then on a lost connection leaves the outcome unknown. */
export type Progress = { commitSent: boolean };

export type Transacted = { readonly answer: CommitAnswer; readonly changes: Changes };

export type Transacting = {
  readonly memory: Memory;
  readonly progress: Progress;
  /** Nobody else is at the store, as far as is known. */
  readonly alone: boolean;
};

/** One commit as one transaction: load, decide, write, claim, number, and nothing of it if anything fails. */
export async function transact(
  session: Session,
  request: CommitRequest,
  { memory, progress, alone }: Transacting,
): Promise<Transacted> {
  const rows = new LoadedRows(memory);
  const { now, blocks, decided } = await decideIn(session, rows, { ...request, memory });
  const { verdicts, changes } = decided;
  numberNew(changes, rows, blocks);
  const gone = await goneWith(session, changes.pruned);
  const direct = directClaims(request.claim, { changes, rows, memory });
  const answer: ClaimAnswer = { known: direct.length > 0, claimed: direct };
  await session.all(queriesOf());
  const { claimed } = answer;
  const { settled, settledRuns, revoked } = changes;
  const inputs = knownInputs(claimed, changes, memory);
  memory.remember(changes, rows, { claimed, runs: alone });
  if (request.claim !== null) {
    const lanes = claimed.map(({ task }) => task.lane);
    memory.emptied = new Set(direct.length > 0 ? request.claim.lanes : emptiedLanes(request.claim, lanes));
  } else if (makesReady(changes)) memory.emptied = new Set();
  const lease_lost = request.claim !== null && !answer.known;
  const carried = await carry(session, claimed, inputs);
  return {
    changes,
    answer: { now, verdicts, claimed: carried, lease_lost, settled, settledRuns, revoked },
  };

  function* queriesOf(): Generator<Query> {
    yield* applyBeforeClaim(changes, rows, new Set(direct.map(({ task }) => task.task_id)));
    if (direct.length > 0 && request.claim !== null) yield claimAtOnce(request.claim, direct);
    else yield* claim(request.claim, answer);
    yield* applyAfterClaim(changes, rows);
    yield* number(changes, rows, now);
    yield* tally(changes, rows, gone);
    progress.commitSent = true;
    yield { statement: commit, values: [] };
  }
}

async function decideIn(
  session: Session,
  rows: LoadedRows,
  { writes, memory }: CommitRequest & { memory: Memory },
): Promise<Begun & { decided: Decided }> {
  const needs = needsOf(writes);
  memory.assume(writes, needs, rows);
  const begun = await beginWith(session, rows, needs);
  const { now } = begun;
  for (let round = 1; ; round++) {
    const decided = decideLoaded(rows, { now, hash: hashText, exclusive: false }, writes);
    const missing = 'verdicts' in decided ? unwritten(rows, decided.changes) : decided;
    if ('verdicts' in decided && isSatisfied(missing)) return { ...begun, decided };
    if (needsLists(missing)) await session.all(listQueries(rows, { needs: missing, now }));
    await load(session, rows, { needs: missing, deep: round >= SHALLOW_ROUNDS });
  }
}

/** `blocks`: where the numbers for new tasks and runs begin. */
type Begun = { readonly now: number; readonly blocks: readonly number[] };

/** Opens the transaction and reads its clock, and with the same batch what the writes will ask for. */
async function beginWith(session: Session, rows: LoadedRows, needs: Needs): Promise<Begun> {
  let begun: Begun = { now: 0, blocks: [] };
  const take = (answer: readonly Row[]) => {
    begun = { now: Number(answer[0]?.[0]), blocks: answer.map(([, block]) => Number(block)) };
  };
  const wanted = Math.ceil(needs.numbers / BLOCK);
  const opening: readonly Query[] = [
    { statement: begin, values: [] },
    wanted === 0
      ? { statement: clock, values: [], take }
      : { statement: clockAndNumbers, values: [wanted], take },
  ];
  if (!needsLists(needs)) {
    await load(session, rows, { needs, deep: false, opening });
    return begun;
  }
  await session.all(opening);
  await session.all(listQueries(rows, { needs, now: begun.now }));
  await load(session, rows, { needs, deep: false });
  return begun;
}

/** A run comes before its tasks. */
function numberNew({ newRuns, newTasks }: Changes, rows: LoadedRows, blocks: readonly number[]): void {
  let given = 0;
  const next = () => (blocks[Math.floor(given / BLOCK)] ?? Number.NaN) + (given++ % BLOCK);
  for (const { row } of newRuns) rows.runOrders.set(row.workflow_id, next());
  for (const { row } of newTasks) rows.orders.set(row.task_id, next());
}

/** Remembered rows that the decisions looked at but left as they are: nothing would compare them, so they are read. */
function unwritten(rows: LoadedRows, { tasks, runs }: Changes): Needs {
  const needs = noNeeds();
  if (rows.assumed.size + rows.assumedRuns.size === 0) return needs;
  const written = new Set([...tasks.map(({ task_id }) => task_id), ...runs.map((run) => run.workflow_id)]);
  for (const task_id of rows.assumed) {
    if (written.has(task_id)) continue;
    needs.tasks.add(task_id);
    rows.assumed.delete(task_id);
    rows.tasks.delete(task_id);
  }
  for (const workflow_id of rows.assumedRuns) if (!written.has(workflow_id)) doubt(rows, needs, workflow_id);
  return needs;
}

function doubt(rows: LoadedRows, needs: Needs, workflow_id: string): void {
  needs.runs.add(workflow_id);
  rows.assumedRuns.delete(workflow_id);
  rows.runs.delete(workflow_id);
  for (const [task_id, row] of rows.tasks) {
    if (row?.workflow_id !== workflow_id) continue;
    needs.tasks.add(task_id);
    rows.tasks.delete(task_id);
  }
}

/**
 * The results claimed tasks refer to. The claim is committed by now; should the connection be lost here, the tasks go
 * out without, and read theirs when they start.
 */
async function carry(
  session: Session,
  claimed: readonly Claimed[],
  known: KnownInputs,
): Promise<CommitAnswer['claimed']> {
  try {
    return await addInputs(session, claimed, known);
  } catch {
    return claimed.map(withoutPayloads);
  }
}
