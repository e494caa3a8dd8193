import type { Gate } from './gate.ts';
import type { LineSource } from './waiting-line.ts';

/** Where places come from for those who wait at a gate; one that is gone keeps nobody. */
export function gateSource(find: (now: number) => Gate | null): LineSource {
  return {
    room: (now) => {
      const gate = find(now);
      gate?.want(now);
      return gate?.free(now, false) ?? Number.POSITIVE_INFINITY;
    },
    keep: (count, now) => {
      const gate = find(now);
      gate?.keep(count, now);
      return (absent) => gate?.giveUp(Math.min(absent, count));
    },
    nextAt: (now) => find(now)?.nextAt(now) ?? null,
    patience: (now) => find(now)?.patience ?? null,
  };
}
