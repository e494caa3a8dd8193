import { PROGRESS_TAIL } from './limits.ts';
import type { AttemptRecord, ProgressRecord } from './records.ts';

/** What one event tells of a running attempt: what changed since the one before, and the next piece of its output. */
export type ProgressTold = {
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
  readonly text?: string;
};

/** The attempts of a task after the one that runs has told something more. */
export function progressed<Attempt extends Pick<AttemptRecord, 'progress'>>(
  attempts: readonly Attempt[],
  told: ProgressTold,
  at: number,
): readonly Attempt[] {
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 ? { ...attempt, progress: added(attempt.progress, told, at) } : attempt,
  );
}

/** Without what belongs to the time in which it ran. */
export function withoutProgress<Attempt extends Pick<AttemptRecord, 'progress'>>(
  attempt: Attempt,
): Omit<Attempt, 'progress'> {
  // Most have told nothing, and are spared the copy.
  if (attempt.progress === undefined) return attempt;
  const { progress: _, ...rest } = attempt;
  return rest;
}

const nothing: ProgressRecord = { progress: null, total: null, message: null, text: null, at: 0 };

function added(before = nothing, told: ProgressTold, at: number): ProgressRecord {
  return {
    progress: told.progress ?? before.progress,
    total: told.total ?? before.total,
    message: told.message ?? before.message,
    text: told.text === undefined ? before.text : tailOf((before.text ?? '') + told.text),
    at,
  };
}

function tailOf(text: string): string {
  if (text.length <= PROGRESS_TAIL) return text;
  const tail = text.slice(-PROGRESS_TAIL);
  return isLowSurrogate(tail.charCodeAt(0)) ? tail.slice(1) : tail;
}

/** The beginning of a text, never with half a character at its end. */
export function headOf(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, isLowSurrogate(text.charCodeAt(most)) ? most - 1 : most);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
