import { GleitzeitError } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { lastProvider, type Waits, waitOf, withOutside } from '../outside.ts';
import type { TaskRow } from '../records.ts';
import { isSettled } from '../task.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';
import { begun, runningBy } from './begin.ts';
import { findTask } from './control.ts';
import { answer } from './outside-wait.ts';

/** Only from whoever holds the attempt, and only while it runs; the start of it may still be on its way. */
export function keep(ledger: Ledger, write: WriteOf<'keep'>): AnswerTo<'keep'> {
  const task = runningBy(ledger, write);
  if (task === null) return { recorded: false };
  keepFor(ledger, task, write.kept);
  return { recorded: true };
}

export function keepFor(ledger: Ledger, running: TaskRow, text: string): void {
  const hash = ledger.hash(text);
  const kept = { provider: lastProvider(running.attempts), hash, text };
  ledger.tell(running, 'task:kept', { attempt: running.attempt_count, kept_hash: hash });
  ledger.putTask({
    ...running,
    attempts: withOutside(running.attempts, (outside) => ({ ...outside, kept })),
  });
}

/**
 * An answer is taken once: the first one counts. Said again, by somebody who did not hear that it was taken, it changes
 * nothing and is no error; another one is refused.
 */
export function respond(ledger: Ledger, write: WriteOf<'respond'>): AnswerTo<'respond'> {
  const task = findTask(ledger, write.task_id);
  const waits = waitOf(task);
  const asked = waits !== null && (write.attempt ?? waits.attempt) === waits.attempt;
  if (asked && mayAnswer(waits, write)) {
    const { response: text, mark } = write;
    const came = { hash: ledger.hash(text), text, mark };
    const { status } = answer(ledger, task, { wait: waits.wait, came });
    return { status, recorded: true };
  }
  if (wasTaken(task, write)) return { status: task.status, recorded: false };
  if (write.early && mayWaitLater(task)) {
    const recorded = keepEarly(ledger, task, write);
    return { status: findTask(ledger, task.task_id).status, recorded };
  }
  throw asked ? wrongToken() : notAsked(task, waits);
}

function mayAnswer({ wait }: Waits, { token }: WriteOf<'respond'>): boolean {
  return token === null || token === wait.token;
}

/** Whether this is the answer to the question that is meant, or, where none is named, to the newest that has one. */
function wasTaken({ attempts }: TaskRow, { attempt, mark, token }: WriteOf<'respond'>): boolean {
  const asked = attempts.findLast((one) =>
    attempt === null ? one.outside?.wait?.answer != null : one.attempt === attempt,
  );
  const wait = asked?.outside?.wait;
  return wait?.answer === mark && (token === null || token === wait.token);
}

/** Nobody can have been told where to call back to before there was an attempt, or one was handed over. */
function mayWaitLater(task: TaskRow): boolean {
  return !isSettled(task.status) && (task.attempts.length > 0 || task.status === 'routed');
}

/** Of several that come before anybody waits for them the newest counts. */
function keepEarly(ledger: Ledger, found: TaskRow, { response: text, mark }: WriteOf<'respond'>): boolean {
  if (found.attempts.at(-1)?.outside?.early?.mark === mark) return false;
  const task = begun(ledger, found);
  const early = { hash: ledger.hash(text), text, mark };
  const told = { attempt: task.attempt_count, response_hash: early.hash, early: true } as const;
  ledger.tell(task, 'task:responded', told);
  ledger.putTask({ ...task, attempts: withOutside(task.attempts, (outside) => ({ ...outside, early })) });
  return true;
}

function wrongToken(): GleitzeitError {
  return new GleitzeitError('GLZ4002', 'this is not the token that the answer has to come with', {
    field: 'token',
  });
}

function notAsked({ task_id, status }: TaskRow, waits: Waits | null): GleitzeitError {
  const message =
    waits === null
      ? `the task ${task_id} is ${status} and waits for no answer`
      : `the task ${task_id} has asked again since: attempt ${waits.attempt} waits for an answer now`;
  return new GleitzeitError('GLZ1011', message, {
    field: waits === null ? 'task_id' : 'attempt',
    hint: 'task.status tells whether a task waits for an answer, and what it asks',
  });
}
