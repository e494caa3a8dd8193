import type { ResultOf } from '../../api/methods.ts';
import { quantile } from '../../core/stats/histogram.ts';
import type { Series, StatsReport, StatsWindow } from '../../core/stats/report.ts';
import { statsWindows } from '../../core/stats/report.ts';
import type { Tally } from '../../core/stats/tally.ts';
import { timeText } from '../views.ts';

type Told = ResultOf<'protocol.stats'>;
type Figures = Told['items'][number]['total'];

export function viewStats(window: StatsWindow, { from, to, protocols }: StatsReport): Told {
  return {
    window,
    from: timeText(from),
    to: timeText(to),
    step_seconds: statsWindows[window].step_ms / 1000,
    items: protocols.map(({ protocol, providers, methods, ...series }) => ({
      protocol,
      ...viewSeries(series),
      providers: providers.map(({ provider, ...own }) => ({ provider, ...viewSeries(own) })),
      methods: methods.map(({ method, ...own }) => ({ method, ...viewSeries(own) })),
    })),
  };
}

function viewSeries({ total, steps }: Series) {
  return {
    total: viewTally(total),
    steps: steps.map(({ at, tally }) => ({ at: timeText(at), ...viewTally(tally) })),
  };
}

function viewTally({ times, errors, cost, ...tally }: Tally): Figures {
  const within = (share: number) => rounded(quantile(times, share));
  return {
    ...tally,
    errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
    errors_by_class: errors,
    latency: { p50_ms: within(0.5), p95_ms: within(0.95), p99_ms: within(0.99) },
    cost: Object.fromEntries(Object.entries(cost).map(([currency, amount]) => [currency, exact(amount)])),
  };
}

/** More digits would pretend to know more. */
function rounded(ms: number | null): number | null {
  return ms === null ? null : Number(ms.toPrecision(3));
}

/** Without what adding up many small amounts leaves behind. */
function exact(amount: number): number {
  return Number(amount.toPrecision(12));
}
