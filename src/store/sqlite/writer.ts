import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { CommitAnswer, CommitRequest } from '../../core/ports/store.ts';
import { commitOrBisect } from '../bisect.ts';
import { steadyClock } from '../steady-clock.ts';
import { Committer } from './commit.ts';
import { connect } from './connection.ts';
import { isRecordError, storeError } from './errors.ts';
import { type Lock, takeLock } from './lock.ts';
import { type Ask, answer, replyError } from './messages.ts';
import { migrate } from './migrate.ts';
import { type PackedRequest, unpackRequest } from './pack.ts';
import { packAnswer, unpackAnswer } from './pack-answer.ts';
import { createFile } from './schema.ts';
import { expireEngines } from './startup.ts';

/* The thread that writes: the only one, and one transaction at a time. */

export type WriterOptions = {
  readonly path: string;
  /** What the handed-in clock shows beyond the machine's. */
  readonly wallOffset: number;
  /** Where the clock stands still, if it does. */
  readonly standing: number | null;
  /** Whether this is a new process, so that no engine from before can be alive. */
  readonly fresh: boolean;
};

/** Sent without being asked: so many bytes wait for a checkpoint. */
export const WAL_GREW = 0;

/** A log this long is worth a checkpoint. */
const LONG_WAL = 16 * 1024 * 1024;
/** Requests that wait share a transaction, but an answer should not wait for too many others. */
const MOST_TOGETHER = 64;

class Writer {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #lock: Lock;
  readonly #committer: Committer;
  #advanced = 0;
  #walTold = false;

  constructor({ path, wallOffset, standing, fresh }: WriterOptions) {
    this.path = path;
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
      const machine =
        standing === null
          ? { wall: () => Date.now() + wallOffset, monotonic: () => performance.now() }
          : { wall: () => standing, monotonic: () => 0 };
      this.#committer = new Committer(this.#db, (newest) => {
        const clock = steadyClock(machine, newest);
        return () => clock() + this.#advanced;
      });
    } catch (thrown) {
      this.#db.close();
      this.#lock.release();
      throw thrown;
    }
  }

  /** For tests. */
  advance(ms: number): void {
    this.#advanced += ms;
  }

  commit(port: MessagePort, asks: readonly Ask[]): void {
    const requests = asks.map(([, , packed]) => unpackRequest(packed as PackedRequest));
    try {
      const committed = this.#committer.commit(requests);
      committed.forEach((one, index) => {
        port.postMessage([asks[index]?.[0], packAnswer(one)]);
      });
    } catch {
      // Whatever was wrong, it is one request's alone unless it happens to each of them.
      for (const [index, request] of requests.entries())
        void this.#commitAlone(port, asks[index]?.[0] ?? 0, request);
    }
    this.#watchWal(port);
  }

  /** Everything up to the first macrotask: no other request can come between. */
  async #commitAlone(port: MessagePort, id: number, request: CommitRequest): Promise<void> {
    const owner = request.claim?.owner ?? null;
    const attempt = async (part: CommitRequest): Promise<CommitAnswer> => {
      const [committed] = this.#committer.commit([part]);
      if (committed === undefined) throw new TypeError('a commit without an answer');
      return unpackAnswer(packAnswer(committed), owner);
    };
    try {
      port.postMessage([id, { whole: await commitOrBisect(request, attempt, isRecordError) }]);
    } catch (thrown) {
      replyError(port, id, storeError(thrown, this.path));
    }
  }

  #watchWal(port: MessagePort): void {
    if (this.#walTold || statSync(`${this.path}-wal`).size < LONG_WAL) return;
    this.#walTold = true;
    port.postMessage([WAL_GREW, null]);
  }

  /** The rest of a checkpoint that the reader's thread has made: short, and after it the log starts over. */
  finishCheckpoint(): void {
    this.#walTold = false;
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  close(): void {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
      this.#lock.release();
    }
  }
}

if (parentPort !== null) serve(parentPort);

function serve(port: MessagePort): void {
  let writer: Writer | null = null;
  let path = '';
  port.on('message', (ask: Ask) => {
    let next: Ask | null = ask;
    while (next !== null) {
      const asks: Ask[] = [];
      while (next?.[1] === 'commit' && asks.length < MOST_TOGETHER) {
        asks.push(next);
        next = (receiveMessageOnPort(port)?.message as Ask | undefined) ?? null;
      }
      if (asks.length > 0) writer?.commit(port, asks);
      if (next !== null && next[1] !== 'commit') {
        other(next);
        next = null;
      }
    }
  });

  function other([id, method, value]: Ask): void {
    answer(port, id, () => {
      try {
        if (method === 'open') {
          const options = value as WriterOptions;
          path = options.path;
          writer = new Writer(options);
        }
        if (method === 'advance') writer?.advance(value as number);
        if (method === 'checkpoint') writer?.finishCheckpoint();
        if (method === 'close') writer?.close();
        return null;
      } catch (thrown) {
        throw storeError(thrown, path);
      }
    });
  }
}
