import type { Answer } from '../core/answer.ts';
import type { AttemptSpan } from '../core/ports/observer.ts';
import type { ClaimedTask } from '../core/ports/store.ts';
import type { AttemptStart, Lease } from '../core/writes.ts';
import type { CallEnd } from './deadline.ts';

/** A claimed task in this engine's hands, from the claim until its outcome is recorded or it is taken away. */
export type Held = {
  readonly claimed: ClaimedTask;
  readonly lease: Lease;
  /** Milliseconds the task had left in all when it was claimed, and when that was. */
  readonly left_ms: number;
  readonly claimedAt: number;
  readonly end: CallEnd;
  /** No longer ours: whatever comes of it is not written. */
  gone: boolean;
  /** It is known where it goes: to a provider, into a line, or back. */
  routed: boolean;
  /** A commit has settled it, and left the telling to whoever holds it. */
  settled: boolean;
};

export type Ended = {
  readonly answer: Answer;
  readonly start: AttemptStart | null;
  readonly secrets: readonly string[];
  /** Null where it came to no call. */
  readonly span: AttemptSpan | null;
};

/**
 * It has to wait, or was handed over, and needs no slot meanwhile: it is still held until that is written. Where it is
 * away then, whoever brings its answer tells of it, unless that very commit has settled it.
 */
export type Waiting = { readonly written: Promise<'back' | 'away'> };
