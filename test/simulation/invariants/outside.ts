import type { EventMap, Happening } from '../../../src/core/events.ts';
import type { TaskRow } from '../../../src/core/records.ts';
import type { WriteOf } from '../../../src/core/writes.ts';
import { hashText } from '../../../src/store/hash.ts';
import type { CallRecord } from '../world/call-record.ts';
import { answerBy, leaseKey, type Report, type TaskStep, writesOf } from './step.ts';

/** What the next attempt must get, as JSON text. */
type Left = { readonly kept?: string; readonly response?: string };
type Wait = EventMap['task:input_required'];

/** What attempts keep and are answered, counted apart from the records: handed on, taken once, and not before or after its time. */
export class Outside {
  readonly #report: Report;
  readonly #left = new Map<string, Left>();
  readonly #waits = new Map<string, Wait>();
  readonly #early = new Set<string>();
  readonly #texts = new Map<string, string>();
  /** Task and attempt → hash of the answer that was taken. */
  readonly #answers = new Map<string, string>();
  readonly #kept = new Set<string>();
  readonly #expected = new Map<string, Left>();

  constructor(report: Report) {
    this.#report = report;
  }

  check(step: TaskStep): void {
    for (const write of writesOf(step.commit.writes, 'respond'))
      this.#texts.set(hashText(write.response), write.response);
    for (const happening of step.events) this.#follow(step, happening);
    const { task_id, status, owner } = step.after;
    const wait = this.#waits.get(task_id);
    if (wait?.kind === 'notification' && this.#early.has(task_id))
      this.#report('a notification that came early is taken', task_id);
    const away = status === 'executing' && step.after.attempts.at(-1)?.ended_at === null;
    const waits = status === 'input_required' || (status === 'executing' && owner === null && !away);
    if ((wait !== undefined) !== waits)
      this.#report('who waits is held by nobody', `${task_id} is ${status}, held by ${owner}`);
    if (wait !== undefined) this.#checkDue(step.after, wait);
  }

  #checkDue({ task_id, due_at, expires_at }: TaskRow, { until }: Wait): void {
    const times = [until, expires_at].filter((time) => time !== null);
    const due = times.length === 0 ? null : Math.min(...times);
    if (due_at !== due) this.#report('a wait ends in time', `${task_id} is due at ${due_at}, not ${due}`);
  }

  #follow(step: TaskStep, happening: Happening): void {
    const { task_id } = step.after;
    const { event, data } = happening;
    if (event === 'task:kept') this.#keep(step, data);
    else if (event === 'task:input_required' || event === 'task:notification_awaited') this.#wait(step, data);
    else if (event === 'task:responded') this.#respond(step, data);
    else if (event === 'task:queued' && data.reason === 'unanswered') this.#resume(step);
    else if (event === 'task:failed') this.#fail(step);
    const over = ['task:completed', 'task:failed', 'task:cancelled'].includes(event);
    if (!over && !(event === 'task:retrying' && data.counts)) return;
    this.#left.delete(task_id);
    this.#waits.delete(task_id);
    this.#early.delete(task_id);
  }

  #keep({ after, commit }: TaskStep, { attempt, kept_hash }: EventMap['task:kept']): void {
    const { task_id } = after;
    const writes = [...writesOf(commit.writes, 'keep'), ...writesOf(commit.writes, 'keep_away')];
    const write = writes.find(({ kept }) => hashText(kept) === kept_hash);
    if (write?.task_id !== task_id) this.#report('only what a call keeps is kept', task_id);
    this.#left.set(task_id, { ...this.#left.get(task_id), kept: write?.kept ?? '' });
    this.#kept.add(`${task_id} ${attempt} ${kept_hash}`);
  }

  #wait(step: TaskStep, told: Wait): void {
    const { task_id } = step.after;
    const answer: WriteOf<'settle'>['answer'] | undefined = answerBy(step)?.answer;
    if (answer?.word !== 'outside') {
      this.#report('only a call makes its task wait', task_id);
      return;
    }
    const { after_ms, kept } = answer.wait;
    const until = after_ms === null ? null : step.commit.at + Math.ceil(after_ms);
    if (told.until !== until) this.#report('a wait ends in time', `${task_id}: ${told.until}, not ${until}`);
    this.#left.set(task_id, { kept: JSON.stringify(kept) });
    this.#waits.set(task_id, told);
  }

  #respond({ after }: TaskStep, { attempt, response_hash, early }: EventMap['task:responded']): void {
    const { task_id } = after;
    const text = this.#texts.get(response_hash);
    if (text === undefined) this.#report('an answer was given by somebody', task_id);
    if (early) {
      this.#early.add(task_id);
      return;
    }
    const key = `${task_id} ${attempt}`;
    const asked = this.#waits.get(task_id)?.attempt === attempt;
    if (!asked || this.#answers.has(key)) this.#report('an answer is taken once', key);
    this.#answers.set(key, response_hash);
    this.#waits.delete(task_id);
    this.#early.delete(task_id);
    this.#left.set(task_id, { ...this.#left.get(task_id), response: text ?? '' });
  }

  #resume({ after, commit }: TaskStep): void {
    const wait = this.#waits.get(after.task_id);
    if (wait?.late !== 'resume' || wait.until === null || wait.until > commit.at)
      this.#report('a wait ends in time', `${after.task_id} went on at ${commit.at}`);
    this.#waits.delete(after.task_id);
  }

  #fail({ before, after, commit }: TaskStep): void {
    const wait = this.#waits.get(after.task_id);
    const expired = before !== null && before.expires_at !== null && before.expires_at <= commit.at;
    if (wait === undefined || expired) return;
    if (wait.late !== 'fail' || wait.until === null || wait.until > commit.at)
      this.#report('a wait ends in time', `${after.task_id} failed at ${commit.at}`);
  }

  claimed(task: TaskRow): void {
    this.#expected.set(leaseKey(task), this.#left.get(task.task_id) ?? {});
  }

  /** A call was made for this claim. */
  called(
    claimed: TaskRow,
    { kept, response, call_id, attempt }: Pick<CallRecord, 'kept' | 'response' | 'call_id' | 'attempt'>,
  ): void {
    const left = this.#expected.get(leaseKey(claimed)) ?? {};
    const found = [kept, response].map((value) => JSON.stringify(value)).join();
    const expected = [left.kept, openedText(left.response)].join();
    if (found !== expected)
      this.#report('what is kept comes again', `${call_id}, ${attempt}: ${found}, not ${expected}`);
  }

  /** An engine says that it has taken this answer. */
  acknowledged(task_id: string, attempt: number, response: string): void {
    const taken = this.#answers.get(`${task_id} ${attempt}`);
    const text = openedText(this.#texts.get(taken ?? ''));
    if (text !== response)
      this.#report(
        'an answer that is acknowledged is taken',
        `${task_id} ${attempt}: ${response}, not ${text}`,
      );
  }

  keptFor({ task_id, attempt }: Pick<CallRecord, 'task_id' | 'attempt'>, text: string): void {
    if (!this.#kept.has(`${task_id} ${attempt} ${hashText(text)}`))
      this.#report('what is kept is durable', `${task_id} ${attempt}: ${text}`);
  }
}

/** What grants access is sealed, which changes nothing here but its form. */
function openedText(text: string | undefined): string | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return value !== null && typeof value === 'object' && '$sealed' in value ? String(value.$sealed) : text;
}
