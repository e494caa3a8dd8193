import { GleitzeitError } from '../errors.ts';
import type { Ledger } from '../ledger.ts';
import { nothingPaused, type PausedQueues, pauseDocument, pausedIn } from '../queue-pause.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';

/** What is paused already stays so, and is not told again. */
export function pauseQueue(ledger: Ledger, { protocol }: WriteOf<'pause_queue'>): AnswerTo<'pause_queue'> {
  const before = pausedNow(ledger);
  const known = protocol === null ? before.all : before.protocols.includes(protocol);
  if (known) return { paused: before };
  const protocols = protocol === null ? before.protocols : [...before.protocols, protocol].sort();
  const paused = put(ledger, { ...before, all: before.all || protocol === null, protocols });
  ledger.tellAll({ event: 'queue:paused', data: { protocol } });
  return { paused };
}

/** Without a protocol everything goes on again, whatever was paused by name. */
export function resumeQueue(ledger: Ledger, { protocol }: WriteOf<'resume_queue'>): AnswerTo<'resume_queue'> {
  const before = pausedNow(ledger);
  if (protocol !== null && before.all) throw allPaused(protocol);
  const after =
    protocol === null
      ? nothingPaused
      : { ...before, protocols: before.protocols.filter((name) => name !== protocol) };
  if (after.all === before.all && after.protocols.length === before.protocols.length)
    return { paused: before };
  const paused = put(ledger, after);
  ledger.tellAll({ event: 'queue:resumed', data: { protocol } });
  return { paused };
}

export function pausedNow(ledger: Ledger): PausedQueues {
  return pausedIn(ledger.document(pauseDocument));
}

function put(ledger: Ledger, { all, protocols }: Pick<PausedQueues, 'all' | 'protocols'>): PausedQueues {
  const version = (ledger.document(pauseDocument)?.version ?? 0) + 1;
  ledger.putDocument({ ...pauseDocument, text: JSON.stringify({ all, protocols }), version });
  return { all, protocols, version };
}

function allPaused(protocol: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `"${protocol}" cannot go on while the whole queue is paused`, {
    field: 'protocol',
    reason: 'everything is paused, not this protocol alone',
    hint: 'resume the queue without naming a protocol, then pause by name what shall stay so',
  });
}
