/** One figure of one run. */
export interface Figure {
  /** Named where a workload has more than one figure, or where the figure is a percentile. */
  readonly metric?: string;
  readonly unit: string;
  readonly better: 'more' | 'less';
  readonly value: number;
}

export interface Summary {
  readonly metric?: string;
  readonly unit: string;
  /** The median of the runs. */
  readonly value: number;
  readonly runs: readonly number[];
  readonly worst: number;
  /** The rate of the bare loop that made the same calls in the same run, where there is one, and what is left of it. */
  readonly bare?: number;
  readonly share_of_bare?: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Nearest rank: the smallest value that at least `share` of the samples do not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Turns the figures of several runs into one summary per figure. */
export function summarise(runs: readonly (readonly Figure[])[]): Summary[] {
  const [first = []] = runs;
  return first.map(({ metric, unit, better }, index) => {
    const values = runs.map((figures) => figures[index]?.value ?? Number.NaN);
    return {
      ...(metric === undefined ? {} : { metric }),
      unit,
      value: median(values),
      runs: values,
      worst: better === 'more' ? Math.min(...values) : Math.max(...values),
    };
  });
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Runs `work` for 0 … count - 1 with `width` of them under way at any time. */
export async function inFlight(
  count: number,
  width: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}

/** Milliseconds of each of `count` calls, one after another. */
export async function latencies(count: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index++) samples.push(1000 * (await seconds(() => work(index))));
  return samples;
}

export function rate(unit: string, count: number, elapsed: number): Figure {
  return { unit, better: 'more', value: count / elapsed };
}

export function latency(samples: readonly number[], ...shares: readonly number[]): Figure[] {
  return shares.map((share) => ({
    metric: `p${Math.round(share * 100)}`,
    unit: 'ms',
    better: 'less',
    value: percentile(samples, share),
  }));
}

export function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
