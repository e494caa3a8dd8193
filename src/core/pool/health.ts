/** So many questions in a row without an answer, unless somebody says otherwise: one answer may be late. Times in milliseconds. */
export const usualMisses = 2;

/**
 * Whether so many questions were missed once more: what does not come back by itself may be hung, and what was begun in its place has to have
 * as many before it is taken for that.
 */
export function isHungAgain({ misses, failures }: { misses: number; failures: number }): boolean {
  return misses > 0 && misses % failures === 0;
}

/** After the first miss it is asked again so soon, or after this part of the usual time where that is less. */
const SOON_MS = 1000;
const SOON_PART = 4;
/** Up to this part of the time is left out by lot, so that many are not asked at the same moment. */
const LOT_PART = 10;

export type Asking = {
  readonly every_ms: number;
  /** In a row. */
  readonly misses: number;
  /** In [0, 1). */
  readonly draw: number;
};

/** How long until the first question: a part of the usual time, so that many that are connected together are not asked together. */
export function firstQuestion({ every_ms, draw }: Omit<Asking, 'misses'>): number {
  return Math.min(SOON_MS, every_ms / LOT_PART) * draw;
}

/** How long until the next question: soon after a miss, and twice as long after each further one, up to the usual time. */
export function nextQuestion({ every_ms, misses, draw }: Asking): number {
  const soon = Math.min(SOON_MS, every_ms / SOON_PART);
  const ms = misses === 0 ? every_ms : Math.min(every_ms, soon * 2 ** (misses - 1));
  return ms * (1 - draw / LOT_PART);
}
