import type { ErrorRecord } from './errors.ts';
import type { Json } from './json.ts';

/**
 * What an attempt may come back with. The vocabulary is small on purpose, and open at one place only: a word for
 * further tasks belongs here, with its decision in settle.ts.
 */
export type Answer =
  /** `result` is JSON text, serialised once. `usage` is what the service said it took, where it says so. */
  | { readonly word: 'done'; readonly result: string; readonly usage?: Usage }
  | { readonly word: 'failed'; readonly error: ErrorRecord }
  /** Not now: ask again after a while. The attempt counts, but is no failure. */
  | { readonly word: 'again'; readonly after_ms: number; readonly reason: string }
  /** The engine stops and ended the call itself: it goes on elsewhere at once, and the attempt does not count. */
  | { readonly word: 'withdrawn' }
  /** Someone outside has to do something first. The attempt ends without failure; the next one gets `kept` and what came. */
  | { readonly word: 'outside'; readonly wait: OutsideWait };

/** A person who has to say something, or a service that is to tell when it is done. */
export type OutsideWait = {
  /** `input`, `auth`: someone has to answer, or to grant something. `notification`: a service calls back. */
  readonly kind: 'input' | 'auth' | 'notification';
  /** What is asked, for people: shown by task.status. Bounded (16 KiB of JSON). */
  readonly ask: Json;
  /** Handed to the next attempt as it is. Bounded (16 KiB of JSON). May hold no secrets. */
  readonly kept: Json;
  /** Whoever answers over the push route has to know it; only its mark is stored. Null: only those with a key of the API may answer. */
  readonly token: string | null;
  /** After so long without an answer the task fails (`fail`), or its next attempt starts without one (`resume`). Null: as long as total_timeout allows. */
  readonly after_ms: number | null;
  readonly late: 'fail' | 'resume';
};

/** What a call used up, as its service counts. */
export type Usage = {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
};
