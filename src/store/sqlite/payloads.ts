import type { DatabaseSync } from 'node:sqlite';
import { INLINE_PAYLOAD } from '../../core/limits.ts';
import { prepare, type Query } from './connection.ts';
import { damaged } from './errors.ts';

/** Texts that are too large for the rows they belong to: aside, once per run and content. */
export class Payloads {
  readonly #insert: Query;
  readonly #select: Query;

  constructor(db: DatabaseSync) {
    this.#insert = prepare(db, 'INSERT OR IGNORE INTO payload (run_n, hash, text) VALUES (?, ?, ?)');
    this.#select = prepare(db, 'SELECT text FROM payload WHERE run_n = ? AND hash = ?');
  }

  /** What to put into the row: the text, or null after it was put aside. */
  keep(text: string, run_n: number, hash: string): string | null {
    if (text.length <= INLINE_PAYLOAD) return text;
    this.#insert.run(run_n, hash, text);
    return null;
  }

  /** The text of a row, wherever it lies. */
  text(inRow: unknown, runNumber: () => number, hash: unknown): string {
    if (typeof inRow === 'string') return inRow;
    const values = this.#select.first(runNumber(), hash as string);
    if (values === undefined) throw damaged(`the payload ${String(hash)} is not in the store`);
    return values[0] as string;
  }
}
