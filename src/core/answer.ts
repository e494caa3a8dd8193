import type { ErrorRecord } from './errors.ts';

/**
 * What an attempt may come back with. The vocabulary is small on purpose, and open at one place only: a word for
 * waiting on someone outside and one for further tasks belong here, each with its decision in settle.ts.
 */
export type Answer =
  /** `result` is JSON text, serialised once. */
  | { readonly word: 'done'; readonly result: string }
  | { readonly word: 'failed'; readonly error: ErrorRecord }
  /** Not now: ask again after a while. The attempt counts, but is no failure. */
  | { readonly word: 'again'; readonly after_ms: number; readonly reason: string }
  /** The engine stops and ended the call itself: it goes on elsewhere at once, and the attempt does not count. */
  | { readonly word: 'withdrawn' };
