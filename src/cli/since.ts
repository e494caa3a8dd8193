import { parseDuration } from '../core/duration.ts';
import { badValue } from './flags.ts';
import type { Invocation } from './spec.ts';

/** `--since 2h` or `--since 2026-01-05`: what was created then or later. */
export function sinceOf({ flags, now }: Pick<Invocation, 'flags' | 'now'>): { created_from?: string } {
  const said = flags.text('since');
  if (said === undefined) return {};
  const date = /^\d{4}-\d\d-\d\d/.test(said) ? Date.parse(said) : now() - 1000 * secondsOf(said);
  if (Number.isNaN(date)) throw wrong(said);
  return { created_from: new Date(date).toISOString() };
}

function secondsOf(said: string): number {
  try {
    return parseDuration(said);
  } catch {
    throw wrong(said);
  }
}

function wrong(said: string): Error {
  return badValue('since', said, 'write how long ago, 30m, 2h, 7d, or a date, 2026-01-05T12:00:00Z');
}
