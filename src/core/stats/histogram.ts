/**
 * How many calls took how long, in classes each a tenth wider than the one below: whatever comes, there are a few hundred
 * of them at most, and those of several places add up. Class → how many.
 */
export type Histogram = Record<string, number>;

const WIDTH = Math.log(1.1);
/** Quicker and slower than this is all the same. */
const LEAST_MS = 0.01;
const MOST_MS = 24 * 3600 * 1000;

/** Counts one; the histogram is changed. */
export function countTime(histogram: Histogram, ms: number): void {
  const of = classOf(ms);
  histogram[of] = (histogram[of] ?? 0) + 1;
}

/** The time within which this share of the calls ended, to within a twentieth; null where there were none. */
export function quantile(histogram: Histogram, share: number): number | null {
  const classes = Object.entries(histogram)
    .map(([of, count]) => ({ of: Number(of), count }))
    .sort((a, b) => a.of - b.of);
  const total = classes.reduce((sum, { count }) => sum + count, 0);
  let left = Math.max(1, Math.ceil(share * total));
  for (const { of, count } of classes) {
    left -= count;
    if (left <= 0) return middleOf(of);
  }
  return null;
}

function classOf(ms: number): number {
  const bounded = Math.min(MOST_MS, Math.max(LEAST_MS, ms));
  return Math.floor(Math.log(bounded / LEAST_MS) / WIDTH);
}

function middleOf(of: number): number {
  return LEAST_MS * Math.exp((of + 0.5) * WIDTH);
}
