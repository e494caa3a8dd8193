import type { Gate } from './gate.ts';
import type { LineSource } from './waiting-line.ts';

/** Where places come from for those who wait at a gate; one that is gone keeps nobody. */
export function gateSource(find: () => Gate | null): LineSource {
  return {
    room: (now) => {
      const gate = find();
      gate?.want(now);
      return gate?.free(now, false) ?? Number.POSITIVE_INFINITY;
    },
    keep: (count, now) => {
      const gate = find();
      gate?.keep(count, now);
      return (absent) => gate?.giveUp(Math.min(absent, count));
    },
    nextAt: (now) => find()?.nextAt(now) ?? null,
    patience: () => find()?.patience ?? null,
  };
}
