import { errorFromRpc, GleitzeitError } from '../core/errors.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Observer } from '../core/ports/observer.ts';
import type { ClaimRequest, CommitAnswer, Store } from '../core/ports/store.ts';
import type { AnswerTo, Verdict, Write, WriteKind, WriteOf } from '../core/writes.ts';
import { type Ride, Rides } from './rides.ts';
import { charactersIn, recordsIn } from './write-size.ts';

/** A commit takes up to this many records; the rest goes into the next one. */
const MAX_RECORDS = 2048;
/** And so many characters: a server takes a message of limited size, and a lease must not run out behind it. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 1000;

export type WriteOptions = {
  /** It is tried again until the store takes it. */
  readonly lasting?: boolean;
  /** Told, before the answer, when the commit that carried it took place by the store's clock. */
  readonly committed?: (now: number) => void;
};

type Entry = {
  write: Write;
  /** Makes the write anew each time a commit takes it, from what is known then. */
  readonly make?: () => Write;
  readonly settle: (verdict: Verdict, now: number) => void;
  readonly reject: (error: GleitzeitError) => void;
  /** Tried again when the store fails: giving up would leave the outcome of a call unrecorded. */
  readonly lasting: boolean;
};

export type WriterHooks = {
  /** What this engine could take on now; asked when a commit starts. */
  claim(): ClaimRequest | null;
  /** Takes note of what a commit brought, before the next one is put together. */
  received(answer: CommitAnswer, claim: ClaimRequest | null): void;
  /** Works on what a commit brought, while the next one may be under way. */
  committed(answer: CommitAnswer, claim: ClaimRequest | null): void;
  /** A commit failed, or nobody knows whether it did; its claims are lost to us. */
  failed(error: GleitzeitError, claim: ClaimRequest | null): void;
};

export type WriterParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly hooks: WriterHooks;
  /** Fewer writes than this wait for more to come, as long as there is something else to do. */
  readonly few: number;
  /** How many commits may be under way. A store carries them out in the order in which they were asked for. */
  readonly atOnce: number;
};

/**
 * The one path to the store (invariant 5). Whatever gathers while a commit runs goes into the next one, so the batch
 * grows by itself with the load, and a lone write goes out at once. Under load a second commit waits at the store
 * before the first is answered, so that the store never waits for us.
 */
export class Writer {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #logger: Logger;
  readonly #observer: Observer;
  readonly #hooks: WriterHooks;
  readonly #few: number;
  readonly #atOnce: number;
  readonly #rides: Rides;
  #pending: Entry[] = [];
  #underWay = 0;
  /** How many of those that wait are made late. */
  #late = 0;
  #scheduled = false;
  #wanted = false;
  #delay = 0;
  /** So many writes make a commit of their own; half of what the last one had, so that two can take turns. */
  #worth: number;
  #closed = false;
  #cancelRetry: () => void = () => {};
  #idle: (() => void)[] = [];

  constructor(parts: WriterParts) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#timers = parts.timers;
    this.#logger = parts.logger;
    this.#observer = parts.observer;
    this.#hooks = parts.hooks;
    this.#few = parts.few;
    this.#atOnce = parts.atOnce;
    this.#worth = parts.few;
    this.#rides = new Rides(parts.timers, (writes) => this.#leave(writes));
  }

  /** Resolves when the write is durable; rejects when it is refused or the store failed. */
  write<K extends WriteKind>(
    write: WriteOf<K>,
    { lasting = false, ...options }: WriteOptions = {},
  ): Promise<AnswerTo<K>> {
    return this.#push(write, { lasting, ...options });
  }

  /** A lasting write whose content is settled only when a commit takes it; none is under way then. */
  writeLate<K extends WriteKind>(make: () => WriteOf<K>): Promise<AnswerTo<K>> {
    return this.#push(make(), { lasting: true, make });
  }

  #push<K extends WriteKind>(
    write: WriteOf<K>,
    { lasting, make, committed }: WriteOptions & { lasting: boolean; make?: () => WriteOf<K> },
  ): Promise<AnswerTo<K>> {
    const { promise, resolve, reject } = Promise.withResolvers<AnswerTo<K>>();
    if (this.#closed) {
      reject(new GleitzeitError('GLZ9002', 'the engine has stopped', { hint: 'open a new one' }));
      return promise;
    }
    const settle = (verdict: Verdict, now: number) => {
      committed?.(now);
      if (verdict.ok) resolve(verdict.answer as AnswerTo<K>);
      else reject(errorFromRpc(verdict.error));
    };
    if (make !== undefined) this.#late++;
    const entry: Entry = {
      write: write as unknown as Write,
      settle,
      reject,
      lasting,
      ...(make === undefined ? {} : { make: make as unknown as () => Write }),
    };
    // Behind large commits the lease would run out.
    if (write.kind === 'beat') this.#pending.unshift(entry);
    else this.#pending.push(entry);
    this.wake();
    return promise;
  }

  /** Goes with a commit in a moment, unless it is dropped before: what is superseded so soon need not be written. */
  ride(make: () => Write): Ride {
    return this.#rides.add(make);
  }

  /** What rides leaves now: it is written before whatever is handed over from here on. */
  board(): void {
    this.#rides.all();
  }

  #leave(writes: readonly Write[]): void {
    for (const write of writes) this.#pending.push({ write, settle: ignore, reject: ignore, lasting: false });
    this.wake();
  }

  /** There is something to write or to claim. */
  wake(): void {
    this.#wanted = true;
    if (this.#closed || !this.#mayLeave()) return;
    // Enough to be worth a commit: the store works on it while more is being made here.
    if (this.#delay === 0 && this.#pending.length >= this.#worth) return void this.#commit();
    if (this.#scheduled) return;
    this.#scheduled = true;
    const begin = () => {
      this.#scheduled = false;
      void this.#commit();
    };
    if (this.#delay > 0) this.#cancelRetry = this.#timers.after(this.#delay, begin);
    else this.#timers.soon(begin);
  }

  /** Resolves when everything handed over has been written. */
  async drained(): Promise<void> {
    this.board();
    if (this.#pending.length === 0 && this.#underWay === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle.push(resolve);
    this.wake();
    await promise;
  }

  /** Nothing is written from here on. Who has a write under way is still told how it went, but it is not tried again. */
  close(): void {
    this.#closed = true;
    const error = new GleitzeitError('GLZ9002', 'the engine stopped before this was written');
    for (const entry of this.#pending.splice(0)) entry.reject(error);
    this.#rides.close();
    this.#cancelRetry();
    this.#releaseIdle();
  }

  async #commit(): Promise<void> {
    if (this.#closed || !this.#mayLeave()) return;
    this.#wanted = false;
    const batch = this.#takeBatch();
    const claim = this.#hooks.claim();
    if (batch.length === 0 && claim === null) return this.#underWay === 0 ? this.#releaseIdle() : undefined;
    this.#underWay++;
    this.#worth = Math.max(this.#few, batch.length / 2);
    const begun = this.#clock.monotonic();
    try {
      const answer = await this.#store.commit({ writes: batch.map(({ write }) => write), claim });
      const ms = this.#clock.monotonic() - begun;
      this.#observer.committed({ writes: batch.length, claimed: answer.claimed.length, ms });
      if (this.#delay > 0) this.#logger.info('the store takes commits again');
      this.#delay = 0;
      this.#underWay--;
      this.#receive(batch, answer, claim);
    } catch (thrown) {
      this.#underWay--;
      this.#fail(batch, claim, GleitzeitError.from(thrown, 'GLZ3001'));
    }
    if (this.#pending.length > 0 || this.#wanted) this.wake();
    else if (this.#underWay === 0) this.#releaseIdle();
  }

  /** What is made late leaves when nothing else is under way, and so does everything while the store has trouble. */
  #mayLeave(): boolean {
    if (this.#underWay === 0) return true;
    return this.#underWay < this.#atOnce && this.#delay === 0 && this.#late === 0;
  }

  #takeBatch(): Entry[] {
    const batch: Entry[] = [];
    let records = 0;
    let characters = 0;
    let taken = 0;
    for (const entry of this.#pending) {
      if (records >= MAX_RECORDS || characters >= MAX_CHARACTERS) break;
      taken++;
      if (entry.make !== undefined) {
        entry.write = entry.make();
        this.#late--;
      }
      records += recordsIn(entry.write);
      characters += charactersIn(entry.write);
      batch.push(entry);
    }
    this.#pending = taken === this.#pending.length ? [] : this.#pending.slice(taken);
    return batch;
  }

  /** Under load the next commit leaves first: the store works on it while the answers to this one are worked off. */
  #receive(batch: readonly Entry[], answer: CommitAnswer, claim: ClaimRequest | null): void {
    if (!this.#closed) this.#hooks.received(answer, claim);
    if (this.#pending.length >= this.#worth) void this.#commit();
    this.#deliver(batch, answer, claim);
  }

  #deliver(batch: readonly Entry[], answer: CommitAnswer, claim: ClaimRequest | null): void {
    batch.forEach((entry, index) => {
      const verdict = answer.verdicts[index];
      if (verdict !== undefined) entry.settle(verdict, answer.now);
    });
    if (!this.#closed) this.#hooks.committed(answer, claim);
  }

  #fail(batch: readonly Entry[], claim: ClaimRequest | null, error: GleitzeitError): void {
    if (this.#closed) {
      for (const entry of batch) entry.reject(error);
      return;
    }
    this.#observer.commitFailed(error.code);
    this.#delay = Math.min(LONGEST_DELAY_MS, Math.max(FIRST_DELAY_MS, this.#delay * 2));
    const { reason, hint } = error.details;
    this.#logger.error('commit failed', {
      code: error.code,
      error: error.message,
      writes: batch.length,
      ...(reason === undefined ? {} : { reason }),
      ...(hint === undefined ? {} : { hint }),
    });
    for (const entry of batch) if (!entry.lasting) entry.reject(error);
    const again = batch.filter((entry) => entry.lasting);
    this.#late += again.filter(({ make }) => make !== undefined).length;
    this.#pending = [...again, ...this.#pending];
    this.#hooks.failed(error, claim);
  }

  #releaseIdle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function ignore(): void {}
