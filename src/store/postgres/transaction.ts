import type { CommitAnswer, CommitRequest } from '../../core/ports/store.ts';
import { hashText } from '../hash.ts';
import { apply } from './apply.ts';
import { claim, claimedOf } from './claim.ts';
import { addInputs } from './inputs.ts';
import { loadLists, needsLists } from './lists.ts';
import { load } from './load.ts';
import { needsOf } from './needs.ts';
import { number } from './number.ts';
import type { Row, Session, Statement } from './session.ts';
import { type Decided, decideLoaded, LoadedRows } from './source.ts';

const begin: Statement = { name: 'begin', text: 'BEGIN' };
const commit: Statement = { name: 'commit', text: 'COMMIT' };
const clock: Statement = { name: 'clock', text: 'SELECT now_ms()' };

/** Rounds of deciding after which everything downstream is loaded at once, however far it goes. */
const SHALLOW_ROUNDS = 2;

/** Told when COMMIT is on its way: from then on a lost connection leaves the outcome unknown. */
export type Progress = { commitSent: boolean };

export type Transacted = { readonly answer: CommitAnswer; readonly decided: Decided };

/** One commit as one transaction: load, decide, write, claim, number, and nothing of it if anything fails. */
export async function transact(
  session: Session,
  request: CommitRequest,
  progress: Progress,
): Promise<Transacted> {
  const rows = new LoadedRows();
  const { now, decided } = await decideIn(session, rows, request);
  const written = [...apply(decided.changes, rows)];
  const claiming = claim(request.claim);
  const queries = [...written, ...claiming, ...number(decided.changes.happenings, now)];
  progress.commitSent = true;
  const answers = await session.all([...queries, { statement: commit, values: [] }]);
  const [known = [], claimed = []] = answers.slice(written.length, written.length + claiming.length);
  return {
    decided,
    answer: {
      now,
      verdicts: decided.verdicts,
      claimed: await carry(session, claimed),
      lease_lost: request.claim !== null && known.length === 0,
      settled: decided.changes.settled,
      settledRuns: decided.changes.settledRuns,
      revoked: decided.changes.revoked,
    },
  };
}

async function decideIn(
  session: Session,
  rows: LoadedRows,
  { writes }: CommitRequest,
): Promise<{ now: number; decided: Decided }> {
  const needs = needsOf(writes);
  const begun = Promise.all([session.rows(begin), session.rows(clock)]);
  const nowOf = ([, [row]]: [unknown, Row[]]) => Number(row?.[0]);
  if (needsLists(needs)) await loadLists(session, rows, { needs, now: nowOf(await begun) });
  const [answers] = await Promise.all([begun, load(session, rows, needs, false)]);
  const now = nowOf(answers);
  for (let round = 1; ; round++) {
    const decided = decideLoaded(rows, { now, hash: hashText, exclusive: false }, writes);
    if ('verdicts' in decided) return { now, decided };
    await load(session, rows, decided, round >= SHALLOW_ROUNDS);
  }
}

/**
 * The results claimed tasks refer to. The claim is committed by now; should the connection be lost here, the tasks go
 * out without, and read theirs when they start.
 */
async function carry(session: Session, rows: readonly Row[]): Promise<CommitAnswer['claimed']> {
  const claimed = rows.map(claimedOf);
  try {
    return await addInputs(session, claimed);
  } catch {
    return claimed.map((task) => ({ ...task, inputs: null }));
  }
}
