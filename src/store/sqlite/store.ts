import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { CommitAnswer, CommitRequest, Store, StoreReads } from '../../core/ports/store.ts';
import { readonly } from './errors.ts';
import { type PackedRequest, packRequest } from './pack.ts';
import { type PackedAnswer, unpackAnswer } from './pack-answer.ts';
import { type Peer, Thread } from './thread.ts';
import { truePath } from './true-path.ts';

export type SqliteOptions = {
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Only reads, beside whoever holds the store. */
  readonly readonly?: boolean;
  /** Without threads of its own (see same-thread.ts). */
  readonly same_thread?: boolean;
  /** For tests: the store's clock stands still here, and moves only by `advance`. */
  readonly standing?: number;
};

export interface SqliteStore extends Store {
  /**
   * Tells whoever finds the store held where its holder can be reached: a URL, or the path of a socket. `holderOf` in
   * lock.ts reads it.
   */
  setAddress(address: string | null): Promise<void>;
  /** For tests: moves the store's clock forward. */
  advance(ms: number): Promise<void>;
}

const reads: readonly (keyof StoreReads)[] = [
  'task',
  'run',
  'result',
  'runResults',
  'engines',
  'payloads',
  'tasks',
  'runs',
  'events',
  'cursor',
  'document',
  'documents',
  'agent',
  'agents',
  'stats',
];

/**
 * A store in a file, held by one process. Writes and reads run in threads of their own, so that waiting for the disk
 * stops nothing else.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const same = options.same_thread === true ? (await import('./same-thread.ts')).onSameThread : null;
  const store = new FileStore({ ...options, path: truePath(options.path) }, same);
  await store.open();
  return store;
}

/** What takes the place of the threads; null for threads. */
type SameThread = { readonly writer: () => Peer; readonly reader: () => Peer } | null;

class FileStore implements SqliteStore {
  readonly reads: StoreReads;
  readonly #options: SqliteOptions;
  readonly #reader: Thread;
  readonly #writer: Thread | null;
  #address: string | null = null;
  #closing = false;

  constructor(options: SqliteOptions, same: SameThread) {
    const { path } = options;
    this.#options = options;
    this.#reader = new Thread({ module: './reader', open: () => ({ path }), start: same?.reader });
    this.#writer = options.readonly === true ? null : this.#newWriter(same);
    const call = (name: keyof StoreReads) => [name, (...query: unknown[]) => this.#reader.call(name, query)];
    this.reads = Object.fromEntries(reads.map(call)) as StoreReads;
  }

  async open(): Promise<void> {
    try {
      await this.#writer?.open();
      await this.#reader.open();
    } catch (thrown) {
      await this.close().catch(() => {});
      throw thrown;
    }
  }

  async commit(request: CommitRequest): Promise<CommitAnswer> {
    if (this.#writer === null) throw readonly(this.#options.path, 'it was opened to read only');
    const packed: PackedRequest = packRequest(request);
    const answer = await this.#writer.call<PackedAnswer | { whole: CommitAnswer }>('commit', packed);
    return 'whole' in answer ? answer.whole : unpackAnswer(answer, request);
  }

  /** Nobody else can change the data, so there is never anything to tell. */
  onChange(): () => void {
    return () => {};
  }

  async setAddress(address: string | null): Promise<void> {
    if (this.#writer === null) throw readonly(this.#options.path, 'it was opened to read only');
    this.#address = address;
    await this.#writer.call('address', address);
  }

  async advance(ms: number): Promise<void> {
    await this.#writer?.call('advance', ms);
  }

  async close(): Promise<void> {
    this.#closing = true;
    // The reader first: what is left of the log can be moved into the file only when nobody reads from it.
    await this.#reader.close();
    await this.#writer?.close();
  }

  #newWriter(same: SameThread): Thread {
    const { path, clock, standing = null } = this.#options;
    const wallOffset = clock.wall() - Date.now();
    return new Thread({
      module: './writer',
      start: same?.writer,
      open: (again) => ({ path, wallOffset, standing, fresh: !again, address: this.#address }),
      told: () => void this.#checkpoint(),
    });
  }

  /** The reader's thread does most of it, beside the writer; the little that came meanwhile is the writer's. */
  async #checkpoint(): Promise<void> {
    try {
      await this.#reader.call('checkpoint', null);
      await this.#writer?.call('checkpoint', null);
    } catch (thrown) {
      const { path, logger } = this.#options;
      if (!this.#closing)
        logger.warn('the log of the store could not be moved into its file', { path, error: String(thrown) });
    }
  }
}
