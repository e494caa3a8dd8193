import type { Changes, Source } from './changes.ts';
import { deleteAgent, putAgent } from './decisions/agents.ts';
import { arrive, handOver, keepAway, progressAway, startAway } from './decisions/away.ts';
import { start } from './decisions/begin.ts';
import { cancelRun, cancelTask, pauseRun, resumeRun } from './decisions/control.ts';
import { deleteDocument, putDocument } from './decisions/documents.ts';
import { wakeDue } from './decisions/due.ts';
import { beat, join, leave, release } from './decisions/lease.ts';
import { callLine, callLines } from './decisions/lines.ts';
import { keep, respond } from './decisions/outside.ts';
import { progress } from './decisions/progress.ts';
import { prune } from './decisions/prune.ts';
import { pauseQueue, resumeQueue } from './decisions/queue.ts';
import { retryTask } from './decisions/reopen.ts';
import { reconcile, rescue } from './decisions/rescue.ts';
import { settle } from './decisions/settle.ts';
import { submit } from './decisions/submit.ts';
import { GleitzeitError } from './errors.ts';
import { Ledger, type LedgerContext } from './ledger.ts';
import type { AnswerTo, Verdict, Write, WriteKind, WriteOf } from './writes.ts';

type Decision<K extends WriteKind> = (ledger: Ledger, write: WriteOf<K>) => AnswerTo<K>;

const decisions: { readonly [K in WriteKind]: Decision<K> } = {
  submit,
  start,
  progress,
  keep,
  respond,
  settle,
  hand_over: handOver,
  start_away: startAway,
  progress_away: progressAway,
  keep_away: keepAway,
  arrive,
  release,
  call_line: callLine,
  call_lines: callLines,
  cancel_task: cancelTask,
  cancel_run: cancelRun,
  pause_run: pauseRun,
  resume_run: resumeRun,
  retry_task: retryTask,
  wake_due: wakeDue,
  join,
  beat,
  leave,
  rescue,
  reconcile,
  prune,
  put_document: putDocument,
  delete_document: deleteDocument,
  put_agent: putAgent,
  delete_agent: deleteAgent,
  pause_queue: pauseQueue,
  resume_queue: resumeQueue,
  announce: (ledger, write) => {
    ledger.tellAll(write.happening);
    return {};
  },
};

/**
 * What a write means, put into the ledger. A decision that refuses does so before its first change, so a refused write
 * leaves nothing behind (decision and refusal stay inside one commit with a verdict for each write).
 */
export function decide(ledger: Ledger, write: Write): Verdict {
  try {
    const decision = decisions[write.kind] as Decision<typeof write.kind>;
    return { ok: true, answer: decision(ledger, write as never) };
  } catch (thrown) {
    if (thrown instanceof GleitzeitError) return { ok: false, error: thrown.toRecord() };
    throw thrown;
  }
}

/** Decides all writes of one commit in order, each seeing the ones before it. */
export function decideAll(
  source: Source,
  context: LedgerContext,
  writes: readonly Write[],
): { verdicts: readonly Verdict[]; changes: Changes } {
  const ledger = new Ledger(source, context);
  const verdicts = writes.map((write) => decide(ledger, write));
  return { verdicts, changes: ledger.changes() };
}
