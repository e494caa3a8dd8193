import type { CommitAnswer, CommitRequest, StoreReads } from '../../src/core/ports/store.ts';

/** A store under comparison. Each `open` starts on empty data, with the clock at `EPOCH`. */
export type Subject = { readonly name: string; open(): Promise<World> };

export type World = {
  /** Two owners use two handles where the store allows it. */
  commit(by: string, request: CommitRequest): Promise<CommitAnswer>;
  /** Commits while nothing more can be written. */
  commitWhenFull(by: string, request: CommitRequest): Promise<CommitAnswer>;
  reads(): StoreReads;
  advance(ms: number): Promise<void>;
  reopen(): Promise<void>;
  /** As after a kill: what was not committed is lost, and nobody closed anything. */
  crash(): Promise<void>;
  close(): Promise<void>;
};

export const EPOCH = 1_700_000_000_000;
