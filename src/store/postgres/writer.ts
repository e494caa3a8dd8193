import { GleitzeitError } from '../../core/errors.ts';
import type { CommitAnswer, CommitRequest } from '../../core/ports/store.ts';
import { commitOrBisect } from '../bisect.ts';
import {
  HELD_ROWS_CHANGED,
  isConflict,
  isDuplicate,
  isRecordError,
  type Outcome,
  type Place,
  sqlStateOf,
  storeError,
} from './errors.ts';
import { Memory } from './memory.ts';
import { Session, type SessionOptions } from './session.ts';
import type { Statement } from './statement.ts';
import { type Progress, type Transacted, transact } from './transaction.ts';

const rollback: Statement = { name: 'rollback', text: 'ROLLBACK' };

const CONFLICT_TRIES = 20;
/** The second time the row is in sight; a third duplicate is the fault of the record. */
const DUPLICATE_TRIES = 3;

export type WriterParts = {
  readonly place: Place;
  /** Hears of every commit. */
  readonly told: (done: Transacted) => void;
  /** Whether nobody else is at the store, as far as is known. */
  readonly alone: () => boolean;
};

/**
 * The one connection that writes. Commits go through it one after the other. When it is lost, the commit in flight
 * fails and the next one opens another: there is nothing to restart.
 */
export class Writer {
  readonly #options: SessionOptions;
  readonly #place: Place;
  readonly #told: (done: Transacted) => void;
  readonly #memory = new Memory();
  readonly #alone: () => boolean;
  #session: Session | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: SessionOptions, { place, told, alone }: WriterParts) {
    this.#options = options;
    this.#place = place;
    this.#told = told;
    this.#alone = alone;
  }

  commit(request: CommitRequest): Promise<CommitAnswer> {
    const turn = this.#queue.then(() => this.#commitNow(request));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    await this.#session?.end();
  }

  async #commitNow(request: CommitRequest): Promise<CommitAnswer> {
    if (this.#closed) throw new GleitzeitError('GLZ3001', 'the store is closed');
    try {
      return await commitOrBisect(request, (part) => this.#attempt(part), isRecordError);
    } catch (thrown) {
      throw storeError(thrown, this.#place, 'nothing was written');
    }
  }

  async #attempt(request: CommitRequest): Promise<CommitAnswer> {
    for (let tries = 1; ; tries++) {
      const session = await this.#connected();
      const progress: Progress = { commitSent: false };
      try {
        const done = await transact(session, request, {
          memory: this.#memory,
          progress,
          alone: this.#alone(),
        });
        this.#told(done);
        return done.answer;
      } catch (thrown) {
        // What was remembered may not be what is there now, whatever the reason.
        this.#memory.forgetAll();
        await this.#undo(session);
        if (mayTryAgain(thrown, tries)) continue;
        if (isRecordError(thrown)) throw thrown;
        // The session may be part of the trouble: one that began on a server that only reads stays that way.
        session.destroy();
        throw storeError(thrown, this.#place, outcomeOf(thrown, progress));
      }
    }
  }

  async #connected(): Promise<Session> {
    if (this.#session === null || this.#session.broken) this.#session = await Session.open(this.#options);
    return this.#session;
  }

  /** After an answer from the server the transaction is open or already undone, and this is right for both. */
  async #undo(session: Session): Promise<void> {
    if (session.broken) return;
    await session.rows(rollback).catch(() => session.destroy());
  }
}

function mayTryAgain(thrown: unknown, tries: number): boolean {
  if (isConflict(thrown) || sqlStateOf(thrown) === HELD_ROWS_CHANGED) return tries < CONFLICT_TRIES;
  return isDuplicate(thrown) && tries < DUPLICATE_TRIES;
}

/** An answer that refuses a statement means that COMMIT undid the transaction; the end of the session says nothing. */
function outcomeOf(thrown: unknown, { commitSent }: Progress): Outcome {
  const state = sqlStateOf(thrown);
  const refused = state !== undefined && !state.startsWith('57P') && !state.startsWith('08');
  return commitSent && !refused ? 'unknown' : 'nothing was written';
}
