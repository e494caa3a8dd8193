import { GleitzeitError } from '../core/errors.ts';
import type { CommitAnswer, CommitRequest } from '../core/ports/store.ts';

type Attempt = (request: CommitRequest) => Promise<CommitAnswer>;

/**
 * A batch that the database refuses because of one of its records is halved until that record stands alone and is
 * refused by itself; its neighbours are written. `isRecordError` tells such a refusal from trouble with the store,
 * which fails the whole batch.
 */
export async function commitOrBisect(
  request: CommitRequest,
  attempt: Attempt,
  isRecordError: (thrown: unknown) => boolean,
): Promise<CommitAnswer> {
  try {
    return await attempt(request);
  } catch (thrown) {
    if (!isRecordError(thrown) || request.writes.length === 0) throw thrown;
    if (request.writes.length === 1) return refuseAlone(request, attempt, thrown);
    const middle = Math.ceil(request.writes.length / 2);
    const first = { writes: request.writes.slice(0, middle), claim: null };
    const second = { writes: request.writes.slice(middle), claim: request.claim };
    const before = await commitOrBisect(first, attempt, isRecordError);
    return join(before, await commitOrBisect(second, attempt, isRecordError).catch(partlyWritten));
  }
}

/** The first half is durable, but its answers cannot be given any more. */
function partlyWritten(thrown: unknown): never {
  const error = GleitzeitError.from(thrown, 'GLZ3001');
  const reason = 'a part of the commit was written before the store failed; which one is unknown';
  throw new GleitzeitError(error.code, error.message, { ...error.details, reason }, thrown);
}

async function refuseAlone(request: CommitRequest, attempt: Attempt, thrown: unknown): Promise<CommitAnswer> {
  const error = new GleitzeitError('GLZ3009', 'the store cannot hold this record', {
    reason: GleitzeitError.from(thrown).message,
  });
  const claim = await attempt({ writes: [], claim: request.claim });
  return { ...claim, verdicts: [{ ok: false, error: error.toRecord() }] };
}

function join(first: CommitAnswer, second: CommitAnswer): CommitAnswer {
  return {
    now: second.now,
    verdicts: [...first.verdicts, ...second.verdicts],
    claimed: second.claimed,
    lease_lost: second.lease_lost,
    settled: [...first.settled, ...second.settled],
    settledRuns: [...first.settledRuns, ...second.settledRuns],
    revoked: [...first.revoked, ...second.revoked],
  };
}
