import type { DocumentName, DocumentRow } from './changes.ts';

/** Which protocols are paused: their tasks stay queued and nothing of them is claimed. */
export type PausedQueues = {
  readonly all: boolean;
  /** In order, without repetition; those that were named, whether or not everything is paused. */
  readonly protocols: readonly string[];
  /** Grows with every change, so that an older state is told from a newer one. */
  readonly version: number;
};

/** Where a store keeps it. Never deleted, so that its version only grows. */
export const pauseDocument: DocumentName = { collection: 'queue', key: 'paused' };

export const nothingPaused: PausedQueues = { all: false, protocols: [], version: 0 };

export function pausedIn(row: DocumentRow | null): PausedQueues {
  if (row === null) return nothingPaused;
  const { all, protocols } = JSON.parse(row.text) as Omit<PausedQueues, 'version'>;
  return { all, protocols, version: row.version };
}

export function isPaused({ all, protocols }: PausedQueues, protocol: string): boolean {
  return all || protocols.includes(protocol);
}
