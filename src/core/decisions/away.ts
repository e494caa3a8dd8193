import type { AttemptName } from '../attempt-name.ts';
import { calledProvider, isAway, isCurrent } from '../away.ts';
import { errorRecord } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { parkedAway } from '../parked.ts';
import type { TaskRow } from '../records.ts';
import { waitFor } from '../retry.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { answeredBy, begin, begun, route } from './begin.ts';
import { held } from './lease.ts';
import { keepFor } from './outside.ts';
import { tellProgress } from './progress.ts';
import { failAttempt, record, refused } from './settle.ts';

/**
 * The call belongs to dispatch from now on: no lease runs out for it, and what comes back is held against the name of its
 * attempt alone. The bound sees to it that nothing stays away for ever.
 */
export function handOver(ledger: Ledger, write: WriteOf<'hand_over'>): AnswerTo<'hand_over'> {
  const task = held(ledger, write);
  if (task === null) return handedBefore(ledger, write);
  const { start, bound_ms } = write;
  const bound = ledger.now + waitFor(bound_ms);
  const due_at = Math.min(bound, task.expires_at ?? bound);
  const row: TaskRow = {
    ...task,
    status: route(task.status),
    owner: null,
    parked: parkedAway(start.provider),
    due_at,
  };
  ledger.tell(row, 'task:validated', {});
  ledger.tell(row, 'task:routed', { provider: start.provider, via: 'bridge' });
  ledger.putTask(row);
  return { handed_over: true, unwanted: false, due_in_ms: due_at - ledger.now };
}

/** It may have been handed over by this very claim, and the answer to that was lost. */
function handedBefore(ledger: Ledger, { task_id, fence, start, generation }: WriteOf<'hand_over'>) {
  const { attempt } = start;
  const task = ledger.task(task_id);
  const current = task !== null && isCurrent(task, { task_id, generation, attempt });
  const handed_over = current && task.fence === fence && isAway(task);
  // Counted means that it has ended as an attempt: by its answer, or because its time was up.
  const counted = task?.generation === generation && task.attempt_count >= attempt;
  return { handed_over, unwanted: !current && !counted, due_in_ms: null };
}

export function startAway(ledger: Ledger, write: WriteOf<'start_away'>): AnswerTo<'start_away'> {
  const task = away(ledger, write);
  if (task !== null) begun(ledger, task, write.ago_ms);
  return { started: task !== null };
}

export function progressAway(ledger: Ledger, write: WriteOf<'progress_away'>): AnswerTo<'progress_away'> {
  const task = away(ledger, write);
  if (task !== null) tellProgress(ledger, begun(ledger, task), write.told);
  return { recorded: task !== null };
}

/** `soon`: it is not known yet that the call was handed over, and it will be right to say it again in a moment. */
export function keepAway(ledger: Ledger, write: WriteOf<'keep_away'>): AnswerTo<'keep_away'> {
  const task = away(ledger, write);
  if (task !== null) keepFor(ledger, begun(ledger, task), write.kept);
  const found = ledger.task(write.task_id);
  const soon = task === null && found !== null && isCurrent(found, write);
  return { recorded: task !== null, soon };
}

/**
 * How a call ended that was handed over (invariant 2: recorded once, because its attempt is over then). It may be quicker
 * than whoever handed it over, or come after that engine died: then the attempt begins and ends here. Whoever holds the task
 * finds out when it writes; only a call that runs in vain is ended, since telling others costs them a look at all they hold.
 */
export function arrive(ledger: Ledger, write: WriteOf<'arrive'>): AnswerTo<'arrive'> {
  const task = ledger.task(write.task_id);
  if (task === null || !isCurrent(task, write)) return refused(task);
  if (task.status === 'executing') ledger.revoke(task);
  const { answer, chance } = write;
  return record(ledger, answered(ledger, task, write), { answer, chance });
}

function answered(ledger: Ledger, task: TaskRow, { provider, ago_ms }: WriteOf<'arrive'>): TaskRow {
  if (task.status === 'executing') return answeredBy(ledger, task, provider);
  return begin(ledger, task, { provider: provider ?? calledProvider(task), ago_ms });
}

/** Nobody has brought an answer in the time that there was for it, or even said that it began. */
export function giveUp(ledger: Ledger, task: TaskRow): TaskRow {
  const started = begun(ledger, task);
  const attempt = started.attempt_count;
  const provider = calledProvider(started);
  const error = errorRecord('GLZ2003', 'no answer came back from the bridge in time', {
    reason: `attempt ${attempt} was handed over to a bridge, and nothing was heard of its end until now`,
    hint: 'see that a bridge runs and reaches the broker, or raise dispatch.wait',
    ...(provider === null ? { attempt } : { provider, attempt }),
  });
  // Those that are given up at once have waited long, so that chance need not keep their next tries apart.
  return failAttempt(ledger, started, { error, chance: 0 });
}

/** The task, if its call is away and this is its name. */
function away(ledger: Ledger, name: AttemptName): TaskRow | null {
  const task = ledger.task(name.task_id);
  return task !== null && isAway(task) && isCurrent(task, name) ? task : null;
}
