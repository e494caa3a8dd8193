import type { DatabaseSync } from 'node:sqlite';
import type { CommitAnswer, CommitRequest } from '../../core/ports/store.ts';
import { commitOrBisect } from '../bisect.ts';
import { steadyClock } from '../steady-clock.ts';
import { type Committed, Committer } from './commit.ts';
import { connect, prepare, type Query } from './connection.ts';
import { isRecordError } from './errors.ts';
import { type Lock, takeLock } from './lock.ts';
import { migrate } from './migrate.ts';
import { packAnswer, unpackAnswer } from './pack-answer.ts';
import { createFile } from './schema.ts';
import { expireEngines } from './startup.ts';

export type WriterOptions = {
  readonly path: string;
  /** What the handed-in clock shows beyond the machine's. */
  readonly wallOffset: number;
  /** Where the clock stands still, if it does (see `SqliteOptions`). */
  readonly standing: number | null;
  /** Whether this is a new process, so that no engine from before can be alive. */
  readonly fresh: boolean;
  /** Where the process that holds the store can be reached. */
  readonly address: string | null;
};

/** So many pages (64 MiB) are worth a checkpoint: what changed often by then is moved into the file once. */
const LONG_WAL = 16 * 1024;

/** The store as its only writer has it: locked, migrated, and with everything prepared. */
export class HeldStore {
  readonly #db: DatabaseSync;
  readonly #lock: Lock;
  readonly #committer: Committer;
  readonly #walState: Query;
  #advanced = 0;

  constructor({ path, wallOffset, standing, fresh, address }: WriterOptions) {
    createFile(path);
    this.#db = connect(path);
    try {
      this.#lock = takeLock(path);
    } catch (thrown) {
      this.#db.close();
      throw thrown;
    }
    try {
      migrate(this.#db, { path });
      if (fresh) expireEngines(this.#db);
      if (address !== null) this.#lock.setAddress(address);
      this.#walState = prepare(this.#db, 'PRAGMA wal_checkpoint(NOOP)');
      const machine =
        standing === null
          ? { wall: () => Date.now() + wallOffset, monotonic: () => performance.now() }
          : { wall: () => standing, monotonic: () => 0 };
      this.#committer = new Committer(this.#db, (newest) => {
        const clock = steadyClock(machine, newest);
        return () => clock() + this.#advanced;
      });
    } catch (thrown) {
      this.#release();
      throw thrown;
    }
  }

  /** The connection is of no use any more: another one has to be opened in its place. */
  get lost(): boolean {
    return this.#committer.lost;
  }

  setAddress(address: string | null): void {
    this.#lock.setAddress(address);
  }

  commit(requests: readonly CommitRequest[]): Committed[] {
    return this.#committer.commit(requests);
  }

  /** A record that the database refuses fails alone. Never waits for anything, so nothing can come between. */
  commitAlone(request: CommitRequest): Promise<CommitAnswer> {
    const attempt = async (part: CommitRequest): Promise<CommitAnswer> => {
      const [committed] = this.#committer.commit([part]);
      if (committed === undefined) throw new TypeError('a commit without an answer');
      return sharingNothing(unpackAnswer(packAnswer(committed), part));
    };
    return commitOrBisect(request, attempt, isRecordError);
  }

  /** For tests: moves the clock forward. */
  advance(ms: number): void {
    this.#advanced += ms;
  }

  needsCheckpoint(): boolean {
    const [, pages, moved] = this.#walState.first() as [number, number, number];
    return pages - moved >= LONG_WAL;
  }

  /** The rest of what the reader's thread has begun: short, and after it the log starts over. */
  finishCheckpoint(): void {
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  close(): void {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#release();
    }
  }

  /** For one whose connection is lost: what it had begun goes with it. */
  abandon(): void {
    try {
      this.#release();
    } catch {
      // There is nothing left to save of it.
    }
  }

  #release(): void {
    try {
      this.#db.close();
    } finally {
      this.#lock.release();
    }
  }
}

/** Without the payloads of tasks whose run's input is there already: a message would hold the text once for each. */
function sharingNothing(answer: CommitAnswer): CommitAnswer {
  const runs = new Set<string | null>();
  const claimed = answer.claimed.map((one) => {
    if (one.payloads === null || one.payloads.run_input === null) return one;
    if (runs.has(one.task.workflow_id)) return { ...one, payloads: null };
    runs.add(one.task.workflow_id);
    return one;
  });
  return { ...answer, claimed };
}
