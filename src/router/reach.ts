import { lineName } from '../core/parked.ts';
import type { RouteRequest } from '../core/ports/router.ts';
import type { Door } from './doors.ts';
import type { Gate } from './gate.ts';
import { ofKey } from './line-turns.ts';

/**
 * Which of the doors it waited at when it was called or found: its number, or of all doors where it waited behind them. -1 where
 * it did not wait, or in a line that nobody knows.
 */
export function waitedAt(
  { called, from }: Pick<RouteRequest, 'called' | 'from'>,
  doors: readonly Door[],
  { keyText, isBehind }: { keyText: string | null; isBehind: (from: string) => boolean },
): number {
  if (from === undefined) return called ? doors.length : -1;
  const at = doors.findIndex((door) => namesOf(door, keyText).includes(from));
  return at === -1 && (called || isBehind(from)) ? doors.length : at;
}

/** What the store calls the lines of those who may not pass. */
function namesOf({ key, line }: Door, keyText: string | null): readonly string[] {
  return (['concurrency', 'rate'] as const).map((kind) =>
    lineName(ofKey({ kind, key: line, fair: key !== null }, keyText)),
  );
}

/** One that was called further on has to wait here once more: others may have what was kept for it there. Whether anything was. */
export function giveUp(
  doors: readonly { readonly gate: Gate }[],
  members: readonly { readonly gate: Gate }[],
  now: number,
): boolean {
  const keeping = (list: readonly { readonly gate: Gate }[]) =>
    list.map(({ gate }) => gate).filter(({ keeps }) => keeps.count(now) > 0);
  // At one provider only, and it is not known at which.
  const gates = [...keeping(doors), ...keeping(members).slice(0, 1)];
  for (const gate of gates) gate.giveUp(1);
  return gates.length > 0;
}
