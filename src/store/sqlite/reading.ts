import type { DatabaseSync } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import type { StoreReads } from '../../core/ports/store.ts';
import { connect } from './connection.ts';
import { storeError } from './errors.ts';
import { type Ask, answer, notOpen } from './messages.ts';
import { requireMigrated } from './migrate.ts';
import { type ReadsNow, sqliteReads } from './reads.ts';

export type ReaderOptions = { readonly path: string };

class Reader {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #reads: ReadsNow;
  /** Only for checkpoints, which a connection that may not write cannot make. */
  #checkpointing: DatabaseSync | null = null;

  constructor({ path }: ReaderOptions) {
    this.#path = path;
    this.#db = connect(path, { readOnly: true });
    requireMigrated(this.#db, { path });
    this.#reads = sqliteReads(this.#db);
  }

  read(name: keyof StoreReads, query: readonly unknown[]): unknown {
    const read = this.#reads[name] as (...query: readonly unknown[]) => unknown;
    this.#db.exec('BEGIN');
    try {
      return read(...query);
    } finally {
      if (this.#db.isTransaction) this.#db.exec('COMMIT');
    }
  }

  /** Moves what the writer has appended into the file, beside its work: neither waits for the other. */
  checkpoint(): void {
    this.#checkpointing ??= connect(this.#path);
    this.#checkpointing.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  close(): void {
    this.#checkpointing?.close();
    this.#db.close();
  }
}

/** What reads, on whichever thread, beside what writes. */
export function serveReads(port: MessagePort): void {
  let reader: Reader | null = null;
  let path = '';
  port.on('message', ([id, method, value]: Ask) => {
    answer(port, id, () => {
      try {
        if (method === 'open') {
          path = (value as ReaderOptions).path;
          reader = new Reader(value as ReaderOptions);
          return null;
        }
        if (method === 'close') return reader?.close();
        if (reader === null) throw notOpen();
        if (method === 'checkpoint') return reader.checkpoint();
        return reader.read(method as keyof StoreReads, value as readonly unknown[]);
      } catch (thrown) {
        throw storeError(thrown, path);
      }
    });
  });
}
