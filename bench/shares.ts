import type { BareRates } from './bare.ts';
import type { Summary } from './measure.ts';

/** Compares rates with the bare loop, which ran right before and right after them. */
export function withShares(summaries: readonly Summary[], around: readonly BareRates[]): Summary[] {
  return summaries.map((summary) => {
    const rates = around.map((bare) => bare[bareMetric(summary.metric)]).filter((rate) => rate !== undefined);
    if (rates.length === 0) return summary;
    const bare = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    return { ...summary, bare, share_of_bare: Math.round((summary.value / bare) * 1000) / 1000 };
  });
}

/** A queue that is drained makes the same calls as single submits do. */
function bareMetric(metric: string | undefined): string {
  return metric === 'drained' ? 'single' : (metric ?? '');
}
