import pg from 'pg';
import { isNothing } from '../../core/change-hint.ts';
import type { Changes } from '../../core/changes.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { ChangeHint } from '../../core/ports/store.ts';
import { isClaimable } from '../../core/records.ts';
import { hashText } from '../hash.ts';
import { Session, type SessionOptions } from './session.ts';
import type { Row, Statement } from './statement.ts';

const self: Statement = { name: 'self', text: 'SELECT pg_backend_pid()' };

/*
 * Every listener shares one lock of the database; who could have it all to himself is alone. The session's own share
 * does not stand in its way.
 */
const present: Statement = {
  name: 'present',
  text: 'SELECT pg_advisory_lock_shared(hashtextextended($1::text, 1))',
};
/** Answers whether there was nobody to tell. A NOTIFY makes commits wait for one another, so there is none for nobody. */
const tellOthers: Statement = {
  name: 'tell_others',
  text: `SELECT CASE WHEN pg_try_advisory_lock(hashtextextended($1::text, 1))
    THEN pg_advisory_unlock(hashtextextended($1::text, 1))
    ELSE pg_notify($1::text, $2::text) IS NULL END`,
};

const FIRST_RETRY = 100;
const LAST_RETRY = 5_000;

const everything: ChangeHint = { ready: true, settled: true, revoked: true, documents: true, agents: true };
/** Says no more than that somebody is there. */
const nothing: ChangeHint = {
  ready: false,
  settled: false,
  revoked: false,
  documents: false,
  agents: false,
};

export function makesReady({ tasks, newTasks }: Changes): boolean {
  return tasks.some(isClaimable) || newTasks.some(({ row }) => isClaimable(row));
}

export type HintOptions = SessionOptions & { readonly timers: Timers; readonly logger: Logger };

/**
 * Tells the other stores on the same data that something changed, and hears from them. One connection does both, apart
 * from the writer's: a NOTIFY inside a commit would make all commits of the database wait for one another. While one is
 * on its way, further hints are gathered into the next. Hints may be lost; whoever must not miss anything polls.
 * While nobody else listens nothing is told; the server knows at that moment whether somebody does.
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
      await this.#tellOthers(session, nothing);
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
    if (isNothing(hint)) return;
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
        await this.#tellOthers(this.#session, hint);
      } catch {
        // Sent again after the connection is back.
        this.#gathered = this.#gathered === null ? hint : merge(this.#gathered, hint);
        return;
      }
    }
  }

  /** What is heard on the same connection comes after this answer, so the answer is taken the moment it is here. */
  async #tellOthers(session: Session, hint: ChangeHint): Promise<void> {
    const take = (rows: readonly Row[]) => {
      this.#alone = rows[0]?.[0] === 't';
    };
    const values = [this.#channel, JSON.stringify(hint)];
    await session.all([{ statement: tellOthers, values, take }]);
  }

  #hear(payload: string): void {
    this.#alone = false;
    try {
      const { ready, settled, revoked, documents, agents } = JSON.parse(payload);
      this.#call({
        ready: ready === true,
        settled: settled === true,
        revoked: revoked === true,
        documents: documents === true,
        agents: agents === true,
      });
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

function merge(a: ChangeHint, b: ChangeHint): ChangeHint {
  return {
    ready: a.ready || b.ready,
    settled: a.settled || b.settled,
    revoked: a.revoked || b.revoked,
    documents: a.documents || b.documents,
    agents: a.agents || b.agents,
  };
}
