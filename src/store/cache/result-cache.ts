import type { ResultRow } from '../../core/records.ts';

/** A place that is quicker to ask than the store, and may forget anything at any time. Never the only copy. */
export interface ResultCache {
  /** Null where it has none, is away, or takes too long. Never rejects. */
  get(task_id: string): Promise<ResultRow | null>;
  /** Keeps it as well as it can. Never throws. */
  put(row: ResultRow): void;
  close(): void;
}
