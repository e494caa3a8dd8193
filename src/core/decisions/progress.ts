import type { Ledger } from '../ledger.ts';
import { type ProgressTold, progressed } from '../progress.ts';
import type { TaskRow } from '../records.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { runningBy } from './begin.ts';

/**
 * Only of an attempt that runs, and only from whoever holds it: what comes after the end, or from a dead lease, is
 * refused (invariant 2). The start of the attempt may still be on its way; then it is written here.
 */
export function progress(ledger: Ledger, write: WriteOf<'progress'>): AnswerTo<'progress'> {
  const running = runningBy(ledger, write);
  if (running === null) return { recorded: false };
  tellProgress(ledger, running, write.told);
  return { recorded: true };
}

export function tellProgress(ledger: Ledger, running: TaskRow, told: ProgressTold): void {
  ledger.tell(running, 'task:progress', { attempt: running.attempt_count, ...told });
  ledger.putTask({ ...running, attempts: progressed(running.attempts, told, ledger.now) });
}
