import type { EventName } from '../../../src/core/events.ts';
import {
  answerBy,
  arriveBy,
  holds,
  isOverdue,
  names,
  type Report,
  type Shadow,
  settleBy,
  type TaskStep,
  writesOf,
} from './step.ts';

type Cause = (step: TaskStep, shadow: Shadow) => boolean;

/** What must stand behind each event: nobody but the holder of a lease starts, ends or settles an attempt. */
const causes: Partial<Record<EventName, Cause>> = {
  'task:started': (step) =>
    writesOf(step.commit.writes, 'start').some((write) => holds(step.before, write)) ||
    reportedBy(step) ||
    keptBy(step) ||
    settleBy(step)?.start != null ||
    heardOf(step) ||
    givenUp(step),
  'task:progress': (step) => reportedBy(step) || awayBy(step, 'progress_away'),
  'task:kept': (step) => keptBy(step) || awayBy(step, 'keep_away'),
  'task:input_required': waitsBy,
  'task:notification_awaited': waitsBy,
  'task:responded': ({ after, commit }) =>
    writesOf(commit.writes, 'respond').some(({ task_id }) => task_id === after.task_id) ||
    commit.writes.some(
      (write) => (write.kind === 'settle' || write.kind === 'arrive') && write.task_id === after.task_id,
    ),
  'task:completed': (step) => answerBy(step)?.answer.word === 'done',
  'task:retrying': (step) => ['failed', 'again'].includes(answerBy(step)?.answer.word ?? '') || givenUp(step),
  'task:failed': (step, shadow) =>
    (answerBy(step)?.answer.word ?? 'done') !== 'done' ||
    givenUp(step) ||
    expired(step) ||
    unanswered(step) ||
    takenBack(step, shadow),
  'task:interrupted': (step, shadow) => withdrawn(step) || takenBack(step, shadow),
  'task:cancelled': ({ after, commit }) =>
    writesOf(commit.writes, 'cancel_task').some(({ task_id }) => task_id === after.task_id) ||
    writesOf(commit.writes, 'cancel_run').some(({ workflow_id }) => workflow_id === after.workflow_id),
};

export function checkCauses(step: TaskStep, shadow: Shadow, report: Report): void {
  for (const { event } of step.events) {
    const cause = causes[event];
    if (cause !== undefined && !cause(step, shadow)) {
      const { before } = step;
      report(
        'only the holder of a lease writes (fencing)',
        `${step.after.task_id}: ${event} without cause; held by ${before?.owner} under fence ${before?.fence}`,
      );
    }
  }
  checkHandover(step, shadow, report);
}

function reportedBy({ before, commit }: TaskStep): boolean {
  return writesOf(commit.writes, 'progress').some((write) => holds(before, write));
}

function keptBy({ before, commit }: TaskStep): boolean {
  return writesOf(commit.writes, 'keep').some((write) => holds(before, write));
}

function waitsBy(step: TaskStep): boolean {
  return answerBy(step)?.answer.word === 'outside';
}

/** Of a call that was handed over, before this commit or with it. */
function awayBy({ before, commit }: TaskStep, kind: 'start_away' | 'progress_away' | 'keep_away'): boolean {
  return writesOf(commit.writes, kind).some((write) => names(before, write));
}

/** Whoever says anything of such a call has begun it. */
function heardOf(step: TaskStep): boolean {
  const { before, commit } = step;
  const notified = writesOf(commit.writes, 'respond').some(
    ({ task_id, early }) => early && task_id === before?.task_id,
  );
  return (
    arriveBy(step) !== undefined ||
    (notified && (before?.status === 'routed' || handedOver(step))) ||
    (['start_away', 'progress_away', 'keep_away'] as const).some((kind) => awayBy(step, kind))
  );
}

function handedOver({ before, commit }: TaskStep): boolean {
  return writesOf(commit.writes, 'hand_over').some((write) => holds(before, write));
}

/** It stayed away for too long. */
function givenUp({ before, commit }: TaskStep): boolean {
  return isOverdue(before, commit.at) && writesOf(commit.writes, 'wake_due').length > 0;
}

function unanswered({ before, commit }: TaskStep): boolean {
  const until = before?.attempts.at(-1)?.outside?.wait?.until ?? null;
  return writesOf(commit.writes, 'wake_due').length > 0 && until !== null && until <= commit.at;
}

function expired({ before, commit }: TaskStep): boolean {
  const expires = before?.expires_at ?? null;
  return writesOf(commit.writes, 'wake_due').length > 0 && expires !== null && expires <= commit.at;
}

/** Its engine is gone, or says that it does not know of it, or its run was paused before it began. */
function takenBack({ before, commit }: TaskStep, shadow: Shadow): boolean {
  const owner = before?.owner ?? null;
  if (before === null || owner === null) return false;
  const paused = writesOf(commit.writes, 'pause_run').some(
    (write) => write.workflow_id === before.workflow_id,
  );
  if (paused && before.status === 'queued') return true;
  const rescued = writesOf(commit.writes, 'rescue').length > 0 && lostBy(commit, shadow, owner);
  const unknown = writesOf(commit.writes, 'reconcile').some(
    (write) => write.owner === owner && !write.held.some((lease) => holds(before, { ...lease, owner })),
  );
  return rescued || unknown;
}

function lostBy(commit: TaskStep['commit'], shadow: Shadow, owner: string): boolean {
  return (
    shadow.isLost(owner, commit.at) || writesOf(commit.writes, 'leave').some((write) => write.owner === owner)
  );
}

/** A task leaves its holder's hands in known ways only, and what a dead engine held is under suspicion. */
function checkHandover(step: TaskStep, shadow: Shadow, report: Report): void {
  const { before, after, commit } = step;
  if (before === null) return;
  if (after.fence !== before.fence) report('fences only move by claims', after.task_id);
  if (before.owner === after.owner) return;
  if (after.owner !== null) {
    report('owners only change by claims', after.task_id);
    return;
  }
  const back = takenBack(step, shadow);
  const last = step.events.at(-1);
  const rescued = last?.event === 'task:queued' && last.data.reason === 'rescued';
  if (!after.suspect && ((rescued && !withdrawn(step)) || (last === undefined && back && !released(step)))) {
    report('what a lost engine held is suspect', `${after.task_id} went back to the queue`);
  }
  if (step.events.length > 0) return;
  if (!back && !released(step) && !withdrawn(step)) {
    report(
      'only the holder gives a task back',
      `${after.task_id} was taken from ${before.owner} at ${commit.at}`,
    );
  }
}

function withdrawn(step: TaskStep): boolean {
  return answerBy(step)?.answer.word === 'withdrawn';
}

function released({ before, commit }: TaskStep): boolean {
  return writesOf(commit.writes, 'release').some(({ owner, leases }) =>
    leases.some(({ task_id, fence }) => holds(before, { task_id, owner, fence })),
  );
}
