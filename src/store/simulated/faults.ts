import type { CommitAnswer, CommitRequest, StoreReads } from '../../core/ports/store.ts';
import type { Write } from '../../core/writes.ts';

/**
 * What can go wrong, decided by whoever runs the simulation. Each call may throw, take its time (a promise), or never
 * come back.
 */
export interface SimulatedFaults {
  /** Throws: nothing of the commit is written (disk full, connection refused, busy). */
  beforeCommit?(request: CommitRequest): void | Promise<void>;
  /** Throws: everything is written, and the answer is lost on its way. */
  afterCommit?(request: CommitRequest, answer: CommitAnswer): void | Promise<void>;
  beforeRead?(name: keyof StoreReads): void | Promise<void>;
  /** A record that the database cannot hold: it is refused alone (GLZ3009). */
  refuses?(write: Write): boolean;
}
