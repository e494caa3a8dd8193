import type { ToldOutside, WaitRecord } from './outside-record.ts';
import type { AttemptRecord, TaskRow } from './records.ts';

/** An attempt as records and log have it in common. */
export type ToldAttempt = Omit<AttemptRecord, 'outside'> & { readonly outside?: ToldOutside };

export type Waits = { readonly attempt: number; readonly wait: WaitRecord };

/** What a task waits for outside, and which attempt asked; null where it does not wait. */
export function waitOf(task: Pick<TaskRow, 'status' | 'attempts'>): Waits | null {
  const last = task.attempts.at(-1);
  // A service that is to call back has the task in its hands: it is `executing`, but no attempt runs.
  const waits = task.status === 'input_required' || task.status === 'executing';
  if (!waits || last === undefined || last.ended_at === null || last.outside?.wait === undefined) return null;
  return { attempt: last.attempt, wait: last.outside.wait };
}

/** Who the newest attempt went to: the one provider that can make something of what it keeps. */
export function lastProvider(attempts: readonly Pick<AttemptRecord, 'provider'>[]): string | null {
  return attempts.at(-1)?.provider ?? null;
}

/** The attempts with the last one changed in what it has to do with the outside. */
export function withOutside<Attempt extends ToldAttempt>(
  attempts: readonly Attempt[],
  change: (outside: NonNullable<Attempt['outside']>) => NonNullable<Attempt['outside']>,
): readonly Attempt[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1
      ? { ...attempt, outside: change(attempt.outside ?? ({} as NonNullable<Attempt['outside']>)) }
      : attempt,
  );
}

/** The attempts with a new one, which takes over what the one before it left: it may be lost just as that one was. */
export function withNext<Attempt extends ToldAttempt>(
  attempts: readonly Attempt[],
  next: Attempt,
): readonly Attempt[] {
  const last = attempts.at(-1);
  if (last?.outside === undefined) return [...attempts, next];
  const { wait: _, ...left } = last.outside;
  const some = Object.keys(left).length > 0;
  return [...attempts.slice(0, -1), closed(last), some ? { ...next, outside: left } : next];
}

/** The attempts where nothing is left for a next one. */
export function withoutLeft<Attempt extends ToldAttempt>(attempts: readonly Attempt[]): readonly Attempt[] {
  const last = attempts.at(-1);
  return last?.outside === undefined ? attempts : [...attempts.slice(0, -1), closed(last)];
}

/** What stays of an attempt: that it waited, and how it was answered. The log has the rest. */
function closed<Attempt extends ToldAttempt>(attempt: Attempt): Attempt {
  const { outside, ...rest } = attempt;
  if (outside?.wait === undefined) return rest as Attempt;
  return { ...rest, outside: { wait: { ...outside.wait, ask: null } } } as Attempt;
}
