import type { Line } from '../core/ports/router.ts';
import type { Gate } from './gate.ts';
import type { Carried } from './waiting-line.ts';

/** What a call has to pass besides its provider: its gate, and the line of those who may not. */
export type Door = { readonly gate: Gate; readonly key: string | null; readonly line: string };

/**
 * Where places are kept for somebody who was called, has passed these doors, and now has to wait for something behind them:
 * what gives them up when it is not there any more, since another engine has called it. Null where none are.
 */
export function keptAt(
  doors: readonly Door[],
  now: number,
  check: (doors: readonly Door[]) => void,
): Carried | null {
  const kept = doors.filter(({ gate }) => gate.keeps.count(now) > 0);
  const [first] = kept;
  if (first === undefined) return null;
  const gone = () => {
    for (const { gate } of kept) gate.giveUp(1);
    check(kept);
  };
  return { from: first.line, gone };
}

/** What whoever may not pass waits in. */
export function lineAt({ gate, line, key }: Door, now: number): Line {
  return { kind: gate.blocks(now), key: line, fair: key !== null };
}

/** What people read of the line at the limits of a protocol. */
export function protocolLine(protocol: string): string {
  return `protocol ${protocol}`;
}
