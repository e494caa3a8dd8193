import type { StatsRow, StatsSpan } from './rows.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** The last hour by the minute, or the last day by the hour; the one that has just begun included. */
export const statsWindows = {
  hour: { step_ms: MINUTE_MS, steps: 60 },
  day: { step_ms: HOUR_MS, steps: 24 },
} as const;
export type StatsWindow = keyof typeof statsWindows;

/** Steps without calls are left out. */
export type Series = { readonly total: Tally; readonly steps: readonly { at: number; tally: Tally }[] };

export type ProtocolStats = Series & {
  readonly protocol: string;
  readonly providers: readonly (Series & { readonly provider: string })[];
  readonly methods: readonly (Series & { readonly method: string })[];
};

export type StatsReport = {
  readonly from: number;
  /** The end of the last step: later than now. */
  readonly to: number;
  readonly protocols: readonly ProtocolStats[];
};

export type StatsQuery = {
  readonly window: StatsWindow;
  /** Wall time. */
  readonly now: number;
  /** Null for all. */
  readonly protocol: string | null;
};

/** Puts together what was counted here and there, whatever its order. */
export function reportStats(spans: readonly StatsSpan[], { window, now, protocol }: StatsQuery): StatsReport {
  const { step_ms, steps } = statsWindows[window];
  const to = (Math.floor(now / step_ms) + 1) * step_ms;
  const from = to - steps * step_ms;
  const rows = spans
    .filter(({ at }) => at >= from && at < to)
    .flatMap(({ at, rows: of }) => of.map((row) => ({ ...row, at: Math.floor(at / step_ms) * step_ms })))
    .filter((row) => protocol === null || row.protocol === protocol);
  const groups = grouped(rows, (row) => row.protocol);
  const protocols = groups.map(([name, own]) => ({
    protocol: name,
    ...seriesOf(own),
    providers: grouped(own, (row) => row.provider).map(([provider, of]) => ({ provider, ...seriesOf(of) })),
    methods: grouped(own, (row) => row.method).map(([method, of]) => ({ method, ...seriesOf(of) })),
  }));
  return { from, to, protocols };
}

type TimedRow = StatsRow & { readonly at: number };

function grouped(
  rows: readonly TimedRow[],
  nameOf: (row: TimedRow) => string,
): readonly (readonly [string, readonly TimedRow[]])[] {
  return [...Map.groupBy(rows, nameOf)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function seriesOf(rows: readonly TimedRow[]): Series {
  const total = emptyTally();
  const steps = new Map<number, Tally>();
  for (const { at, tally } of rows) {
    const step = steps.get(at) ?? emptyTally();
    steps.set(at, step);
    addTally(step, tally);
    addTally(total, tally);
  }
  const inOrder = [...steps].sort(([a], [b]) => a - b);
  return { total, steps: inOrder.map(([at, tally]) => ({ at, tally })) };
}
