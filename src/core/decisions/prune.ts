import type { Ledger } from '../ledger.ts';
import type { AnswerTo, WriteOf } from '../writes.ts';

export function prune(ledger: Ledger, write: WriteOf<'prune'>): AnswerTo<'prune'> {
  const before = ledger.now - write.keep_ms;
  const { items, more } = ledger.prunable(before, write.limit);
  const over = items.filter((key) => isOver(ledger, key, before));
  for (const key of over) ledger.prune(key);
  return { removed: over.length, more };
}

/** A run may have the name of a task that stands by itself: what is kept of the two goes together. */
function isOver(ledger: Ledger, run_key: string, before: number): boolean {
  const task = ledger.task(run_key);
  const found = [ledger.run(run_key), task?.workflow_id === null ? task : null].filter((row) => row !== null);
  return found.length > 0 && found.every(({ settled_at }) => settled_at !== null && settled_at < before);
}
