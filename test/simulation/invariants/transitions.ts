import type { Happening } from '../../../src/core/events.ts';
import type { TaskRow } from '../../../src/core/records.ts';
import type { Report, TaskStep } from './step.ts';

type Place = TaskRow['status'] | 'none' | 'interrupted' | 'answered';
type Arrow = readonly [from: readonly Place[], to: Place];

/** Written down a second time, apart from core's own table, so that a mistake in one shows in the other. */
const arrows: Readonly<Record<string, Arrow>> = {
  'task:waiting submitted': [['none'], 'waiting'],
  'task:waiting reopened': [['failed', 'cancelled'], 'waiting'],
  'task:waiting dependency_reopened': [['skipped'], 'waiting'],
  'task:queued submitted': [['none'], 'queued'],
  'task:queued dependencies_settled': [['waiting'], 'queued'],
  'task:queued due': [['retrying'], 'queued'],
  'task:queued rescued': [['interrupted'], 'queued'],
  'task:queued reopened': [['failed', 'cancelled'], 'queued'],
  'task:queued responded': [['answered'], 'queued'],
  'task:queued unanswered': [['input_required', 'executing'], 'queued'],
  'task:validated': [['queued'], 'validated'],
  'task:routed': [['validated', 'routed'], 'routed'],
  'task:started': [['routed'], 'executing'],
  'task:progress': [['executing'], 'executing'],
  'task:kept': [['executing'], 'executing'],
  'task:input_required': [['executing'], 'input_required'],
  'task:notification_awaited': [['executing'], 'executing'],
  'task:responded': [['input_required', 'executing'], 'answered'],
  'task:retrying': [['executing'], 'retrying'],
  'task:interrupted': [['executing'], 'interrupted'],
  'task:completed': [['executing'], 'completed'],
  'task:reused': [['queued'], 'completed'],
  'task:failed': [['queued', 'routed', 'executing', 'retrying', 'input_required'], 'failed'],
  'task:cancelled': [['waiting', 'queued', 'routed', 'executing', 'retrying', 'input_required'], 'cancelled'],
  'task:skipped': [['waiting'], 'skipped'],
};

/** A task moves only along the arrows, and only by telling so; what has settled stays settled unless reopened. */
export function checkTransitions(step: TaskStep, report: Report): void {
  const { before, after, events } = step;
  let place: Place = before?.status ?? 'none';
  for (const event of events) {
    // It is kept for later, whatever the task is about.
    if (event.event === 'task:responded' && event.data.early) continue;
    // Another than was asked has answered.
    if (event.event === 'task:routed' && place === 'executing') continue;
    const [from, to]: Arrow = arrows[labelOf(event)] ?? [[], place];
    if (!from.includes(place)) {
      report('transitions', `${after.task_id} was ${place} when it was told ${labelOf(event)}`);
      return;
    }
    place = to;
  }
  if (place !== after.status) {
    report(
      'every change writes its event',
      `${after.task_id} is ${after.status}, its events lead to ${place}`,
    );
  }
  if (before !== null && events.length === 0) checkUntold(before, after, report);
}

function labelOf(event: Happening): string {
  return 'reason' in event.data && (event.event === 'task:queued' || event.event === 'task:waiting')
    ? `${event.event} ${event.data.reason}`
    : event.event;
}

const told = [
  'attempt_count',
  'attempt_base',
  'generation',
  'budget_from',
  'settled_at',
  'result_hash',
  'rank',
  'due_at',
  'expires_at',
] as const;

/** When what waits for a provider is looked at again is nobody's business. */
const isAside = ({ status, parked }: TaskRow) => status === 'queued' && parked?.startsWith('provider ');

function checkUntold(before: TaskRow, after: TaskRow, report: Report): void {
  for (const field of told) {
    if (field === 'due_at' && (isAside(before) || isAside(after))) continue;
    if (before[field] !== after[field]) {
      report(
        'every change writes its event',
        `${after.task_id}: ${field} went from ${before[field]} to ${after[field]} without an event`,
      );
    }
  }
}
