import type { ErrorRecord } from '../../../src/core/errors.ts';
import type { TaskRow } from '../../../src/core/records.ts';
import type { Write, WriteOf } from '../../../src/core/writes.ts';
import { answerBy, holds, isOverdue, names, type Report, type TaskStep } from './step.ts';

/** What the codes mean for a retry, written down apart from core's list. */
const classes: Readonly<Record<string, string>> = {
  GLZ2001: 'server',
  GLZ2002: 'transport',
  GLZ2003: 'timeout',
  GLZ2004: 'rate_limit',
  GLZ2007: 'transport',
  GLZ2008: 'interrupted',
  GLZ9001: 'server',
};

const offsets = { urgent: 0, high: 30_000, normal: 120_000, low: 600_000 };

/** Counts attempts on its own and holds the times of retries, timeouts and ranks against them. */
export class Attempts {
  readonly #report: Report;
  /** Attempts begun since submit or reopen that use up `max_attempts`. */
  readonly #used = new Map<string, number>();

  constructor(report: Report) {
    this.#report = report;
  }

  check(step: TaskStep): void {
    const { after, before, events, commit } = step;
    let started = 0;
    for (const happening of events) {
      if (happening.event === 'task:started') {
        started++;
        this.#start(step, happening.data);
      } else if (happening.event === 'task:retrying') this.#retry(step, happening.data);
      else if (happening.event === 'task:input_required' || happening.event === 'task:notification_awaited')
        this.#used.set(after.task_id, (this.#used.get(after.task_id) ?? 0) - 1);
      else if (happening.event === 'task:interrupted') this.#interrupt(step, happening.data.counts ?? true);
      else if (happening.event === 'task:failed')
        this.#fail(step, happening.data.attempt_error ?? happening.data.error);
      else if (happening.event === 'task:queued' && happening === events.at(-1)) {
        this.#queue(step, happening.data.reason);
      }
      if (
        happening.event.startsWith('task:') &&
        'reason' in happening.data &&
        happening.data.reason === 'reopened'
      ) {
        this.#used.set(after.task_id, 0);
      }
    }
    if (before !== null && after.attempt_count !== before.attempt_count + started) {
      this.#report('attempts are counted once', `${after.task_id} at ${commit.at}: ${after.attempt_count}`);
    }
  }

  #start(step: TaskStep, told: { attempt: number; started_at: number }): void {
    const { after, body, commit } = step;
    const used = (this.#used.get(after.task_id) ?? 0) + 1;
    this.#used.set(after.task_id, used);
    if (used > body.spec.retry_config.max_attempts) {
      this.#report('attempts ≤ max_attempts', `${after.task_id} began attempt ${used} since it was opened`);
    }
    const begun = Math.max(after.created_at, Math.round(commit.at - agoBy(step)));
    if (told.started_at !== begun || begun > commit.at) {
      this.#report('times are the store’s', `${after.task_id} started at ${told.started_at}, not ${begun}`);
    }
  }

  #retry(step: TaskStep, told: { due_at: number; counts: boolean; error: ErrorRecord }): void {
    const { after, commit } = step;
    const write = answerBy(step) ?? givenUp(step, told.error);
    const used = this.#used.get(after.task_id) ?? 0;
    if (write === undefined) return;
    const { answer } = write;
    if (answer.word === 'done' || answer.word === 'withdrawn' || answer.word === 'outside') return;
    if (answer.word === 'again') this.#used.set(after.task_id, used - 1);
    else if (!this.#mayRetry(step, answer.error)) {
      this.#report(
        'only what may pass is retried',
        `${after.task_id}: ${answer.error.data.error_code}, ${used} used`,
      );
    }
    const delay = delayOf(step, write, used);
    if (told.due_at !== commit.at + delay) {
      this.#report(
        'retry times are the store’s clock plus the delay',
        `${after.task_id} is due at ${told.due_at}, expected ${commit.at} + ${delay}`,
      );
    }
    if (after.status === 'retrying' && after.due_at !== told.due_at) {
      this.#report('retry times are kept', `${after.task_id} told ${told.due_at}, has ${after.due_at}`);
    }
  }

  /** Only an engine that says so itself may take an attempt back. */
  #interrupt(step: TaskStep, counts: boolean): void {
    const { task_id } = step.after;
    const withdrawn = answerBy(step)?.answer.word === 'withdrawn';
    if (withdrawn === counts) this.#report('attempts are counted once', `${task_id}: interrupted, ${counts}`);
    if (!counts) this.#used.set(task_id, (this.#used.get(task_id) ?? 0) - 1);
  }

  #mayRetry({ after, body }: TaskStep, error: ErrorRecord): boolean {
    const { retry_on, max_attempts } = body.spec.retry_config;
    const kind = classes[error.data.error_code] ?? 'final';
    // Final with one provider, and another has not failed it.
    const elsewhere = isFinalHere(error) && retry_on.length > 0;
    return (
      (elsewhere || retry_on.some((word) => word === kind)) &&
      (this.#used.get(after.task_id) ?? 0) < max_attempts
    );
  }

  /** A task fails for good only when another attempt was not to be had. */
  #fail(step: TaskStep, error: ErrorRecord): void {
    const { before, after, commit, body } = step;
    if (before === null || (before.expires_at !== null && commit.at >= before.expires_at)) return;
    // Nobody outside has answered.
    if (before.status === 'executing' && before.owner === null && !isOverdue(before, commit.at)) return;
    const began = step.events.some(({ event }) => event === 'task:started') || before.status === 'executing';
    if (!began || !this.#mayRetry(step, error)) return;
    const write = answerBy(step) ?? givenUp(step, error);
    const delay = write === undefined ? 0 : delayOf(step, write, this.#used.get(after.task_id) ?? 0);
    const { max_total } = body.spec.retry_config;
    const late = before.expires_at !== null && commit.at + delay >= before.expires_at;
    const spent = max_total !== null && commit.at + delay > (after.budget_from ?? 0) + max_total * 1000;
    if (!late && !spent)
      this.#report('a task is tried as often as it may be', `${after.task_id} gave up early`);
  }

  #queue({ before, after, commit, events }: TaskStep, reason: string): void {
    // What happened to it earlier in the same commit may have moved what it is held against.
    const kept = events.length <= 2 ? before : null;
    if (after.status !== 'queued' || (kept === null && (reason === 'rescued' || reason === 'due'))) return;
    const fresh = reason === 'submitted' || reason === 'reopened' || reason === 'dependencies_settled';
    if (reason === 'due' && (before?.due_at ?? 0) > commit.at) {
      this.#report(
        'retries are not early',
        `${after.task_id} was due at ${before?.due_at}, woken at ${commit.at}`,
      );
    }
    const rank = reason === 'rescued' ? before?.rank : commit.at + offsets[after.priority];
    if (after.rank !== rank)
      this.#report('rank', `${after.task_id} (${reason}) has ${after.rank}, not ${rank}`);
    const expires = fresh ? expiryOf(after, commit.at) : (before?.expires_at ?? null);
    if (after.expires_at !== expires || after.due_at !== expires) {
      this.#report('total timeout', `${after.task_id} expires at ${after.expires_at}, not ${expires}`);
    }
  }
}

/** A call that stayed away for too long ends as if it had been answered with this, and nothing is left to chance. */
function givenUp({ before, commit }: TaskStep, error: ErrorRecord) {
  return isOverdue(before, commit.at)
    ? ({ answer: { word: 'failed', error }, chance: 0 } as const)
    : undefined;
}

/** How long ago the attempt began, by the first write of the commit that tells: the holder's, or that of whoever heard of it. */
function agoBy({ before, commit }: TaskStep): number {
  let away = before?.status === 'routed';
  for (const write of commit.writes) {
    const begins =
      write.kind === 'start' || write.kind === 'progress' || write.kind === 'keep' || write.kind === 'settle';
    if (begins && write.start !== null && holds(before, write)) return write.start.ago_ms;
    if (write.kind === 'hand_over' && holds(before, write)) away = true;
    if (write.kind === 'wake_due' && isOverdue(before, commit.at)) return 0;
    const heard = write.kind === 'arrive' || (write.kind === 'start_away' && away);
    if (heard && names(before, write)) return write.ago_ms;
    if (away && saysNotWhen(write, before)) return 0;
  }
  return 0;
}

function saysNotWhen(write: Write, before: TaskRow | null): boolean {
  if (write.kind === 'respond')
    return write.early && write.task_id === before?.task_id && !wasTaken(before, write.mark);
  return (write.kind === 'progress_away' || write.kind === 'keep_away') && names(before, write);
}

/** Said again, it changes nothing. */
function wasTaken({ attempts }: TaskRow, mark: string): boolean {
  return attempts.some(({ outside }) => outside?.wait?.answer === mark);
}

function expiryOf({ total_timeout }: TaskRow, at: number): number | null {
  return total_timeout === null ? null : at + Math.ceil(total_timeout * 1000);
}

function delayOf(
  { body }: TaskStep,
  { answer, chance }: Pick<WriteOf<'settle'>, 'answer' | 'chance'>,
  used: number,
): number {
  if (answer.word === 'again') return Math.ceil(answer.after_ms);
  const error = answer.word === 'failed' ? answer.error : null;
  if (error !== null && isFinalHere(error)) return 0;
  const { retry_after_ms: asked = 0, elsewhere = false } = error?.data ?? {};
  const { backoff, initial_delay, multiplier, max_delay, jitter } = body.spec.retry_config;
  const factor = backoff === 'fixed' ? 1 : backoff === 'linear' ? used : multiplier ** (used - 1);
  const own = Math.round(Math.min(factor * initial_delay, max_delay) * 1000 * (1 - jitter * chance));
  return elsewhere ? own : Math.max(own, Math.ceil(asked));
}

/** And not with others that could take the call. */
function isFinalHere({ data }: ErrorRecord): boolean {
  return data.elsewhere === true && classes[data.error_code] === undefined;
}
