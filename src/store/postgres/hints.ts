import pg from 'pg';
import type { Changes } from '../../core/changes.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ChangeHint } from '../../core/ports/store.ts';
import { isClaimable } from '../../core/records.ts';
import { hashText } from '../hash.ts';
import { Session, type SessionOptions } from './session.ts';
import type { Statement } from './statement.ts';

const notify: Statement = { name: 'notify', text: 'SELECT pg_notify($1::text, $2::text)' };
const self: Statement = { name: 'self', text: 'SELECT pg_backend_pid()' };

/*
 * Every listener shares one lock of the database; who could have it all to himself is alone. The session's own share
 * does not stand in its way.
 */
const present: Statement = {
  name: 'present',
  text: 'SELECT pg_advisory_lock_shared(hashtextextended($1::text, 1))',
};
const isAlone: Statement = {
  name: 'is_alone',
  text: `SELECT CASE WHEN pg_try_advisory_lock(hashtextextended($1::text, 1))
    THEN pg_advisory_unlock(hashtextextended($1::text, 1)) ELSE false END`,
};

/** After so many hints for others it is time to look whether they are still there. */
const LOOK_EVERY = 256;

const FIRST_RETRY = 100;
const LAST_RETRY = 5_000;

const everything: ChangeHint = { ready: true, settled: true, revoked: true };
/** Says no more than that somebody is there. */
const nothing: ChangeHint = { ready: false, settled: false, revoked: false };

export function makesReady({ tasks, newTasks }: Changes): boolean {
  return tasks.some(isClaimable) || newTasks.some(({ row }) => isClaimable(row));
}

/** What others may want to know of a commit. */
export function hintOf(changes: Changes): ChangeHint {
  return {
    ready: makesReady(changes),
    settled: changes.settled.length > 0 || changes.settledRuns.length > 0,
    revoked: changes.revoked.length > 0,
  };
}

export type HintOptions = SessionOptions & { readonly timers: Timers; readonly logger: Logger };

/**
 * Tells the other stores on the same data that something changed, and hears from them. One connection does both, apart
 * from the writer's: a NOTIFY inside a commit would make all commits of the database wait for one another. While one is
 * on its way, further hints are gathered into the next. Hints may be lost; whoever must not miss anything polls.
 * While nobody else listens nothing is told: whoever comes says so, and is counted from then on.
 */
export class Hints {
  readonly #options: HintOptions;
  readonly #channel: string;
  readonly #listeners = new Set<(hint: ChangeHint) => void>();
  #session: Session | null = null;
  #gathered: ChangeHint | null = null;
  #sending: Promise<void> | null = null;
  #cancelRetry: (() => void) | null = null;
  #closed = false;
  #alone = false;
  #told = 0;

  constructor(options: HintOptions) {
    this.#options = options;
    this.#channel = `gleitzeit_${hashText(options.schema).slice(0, 22)}`;
  }

  async open(): Promise<void> {
    const session = await Session.open(this.#options);
    try {
      const [[pid] = []] = await session.rows(self);
      session.onNotification((from, payload) => {
        if (from !== Number(pid)) this.#hear(payload);
      });
      await session.script(`LISTEN ${pg.escapeIdentifier(this.#channel)}`);
      await session.rows(present, [this.#channel]);
      await session.rows(notify, [this.#channel, JSON.stringify(nothing)]);
      await this.#look(session);
    } catch (thrown) {
      session.destroy();
      throw thrown;
    }
    this.#session = session;
    session.onEnd(() => this.#lost());
    if (session.broken) this.#lost();
  }

  /** Nobody else listens, as far as is known. */
  get alone(): boolean {
    return this.#alone;
  }

  listen(listener: (hint: ChangeHint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(hint: ChangeHint): void {
    if (this.#alone || isNothing(hint)) return;
    this.#gathered = this.#gathered === null ? hint : merge(this.#gathered, hint);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    await this.#sending;
    await this.#session?.end();
  }

  async #send(): Promise<void> {
    while (this.#gathered !== null && this.#session !== null && !this.#session.broken) {
      const hint = this.#gathered;
      this.#gathered = null;
      try {
        await this.#session.rows(notify, [this.#channel, JSON.stringify(hint)]);
        if (++this.#told % LOOK_EVERY === 0) await this.#look(this.#session);
      } catch {
        // Sent again after the connection is back.
        this.#gathered = this.#gathered === null ? hint : merge(this.#gathered, hint);
        return;
      }
    }
  }

  async #look(session: Session): Promise<void> {
    const [[alone] = []] = await session.rows(isAlone, [this.#channel]);
    this.#alone = alone === 't';
  }

  #hear(payload: string): void {
    this.#alone = false;
    try {
      const { ready, settled, revoked } = JSON.parse(payload);
      this.#call({ ready: ready === true, settled: settled === true, revoked: revoked === true });
    } catch {
      // Anybody who may connect can notify; what we cannot read means that something may have changed.
      this.#call(everything);
    }
  }

  #call(hint: ChangeHint): void {
    if (isNothing(hint)) return;
    for (const listener of this.#listeners) listener(hint);
  }

  #lost(): void {
    if (this.#closed || this.#cancelRetry !== null) return;
    this.#session = null;
    this.#options.logger.warn('the connection that hears of changes was lost; it is opened again');
    this.#reopenAfter(FIRST_RETRY);
  }

  /** What was told in the meantime went unheard, so everything may have changed. */
  #reopenAfter(ms: number): void {
    this.#cancelRetry = this.#options.timers.after(ms, () => {
      this.#cancelRetry = null;
      this.open().then(
        () => {
          this.#call(everything);
          this.tell(this.#gathered ?? nothing);
        },
        () => this.#closed || this.#reopenAfter(Math.min(ms * 2, LAST_RETRY)),
      );
    });
  }
}

function isNothing({ ready, settled, revoked }: ChangeHint): boolean {
  return !ready && !settled && !revoked;
}

function merge(a: ChangeHint, b: ChangeHint): ChangeHint {
  return {
    ready: a.ready || b.ready,
    settled: a.settled || b.settled,
    revoked: a.revoked || b.revoked,
  };
}
