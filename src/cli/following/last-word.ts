import { GleitzeitError } from '../../core/errors.ts';
import { ConnectionError } from '../../sdk/index.ts';
import type { Progress } from '../progress/model.ts';
import type { Subject } from './subject.ts';

/** How long somebody may take to say what came of what has ended. */
const LAST_WORD_MS = 5000;

/**
 * An answer about something that has ended. Nothing more will happen that would be worth waiting for, so one that does
 * not come soon is told as an error, with what is known.
 */
export async function lastWord<Value>(
  asking: Promise<Value>,
  subject: Subject,
  progress: Progress,
): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unheard(subject, progress, null)), LAST_WORD_MS);
  // What is given up still ends, and nobody is there to hear how.
  asking.catch(() => {});
  try {
    return await Promise.race([asking, late]);
  } catch (thrown) {
    throw thrown instanceof ConnectionError ? unheard(subject, progress, thrown) : thrown;
  } finally {
    clearTimeout(timer);
  }
}

function unheard(subject: Subject, progress: Progress, cause: ConnectionError | null): GleitzeitError {
  const { kind } = subject;
  const id = subject.kind === 'run' ? subject.workflow_id : subject.task_id;
  const status = subject.kind === 'run' ? progress.status : progress.task(subject.task_id)?.status;
  const message = `the ${kind} ${id} has ended (${status}), but nobody says what came of it`;
  const reason = cause?.message ?? `no answer within ${LAST_WORD_MS / 1000} s`;
  const hint = `gleitzeit result ${id} asks again`;
  return new GleitzeitError('GLZ2002', message, { reason, hint }, cause ?? undefined);
}
