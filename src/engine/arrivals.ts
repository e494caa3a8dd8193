import type { AttemptName } from '../core/attempt-name.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Arrivals, ArrivedAnswer, ArrivedKept, CalledMethod, Dispatch } from '../core/ports/dispatch.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Observer } from '../core/ports/observer.ts';
import type { StoreReads } from '../core/ports/store.ts';
import { isSettled } from '../core/task.ts';
import { type Away, type AwayCall, leaveWith } from './away.ts';
import { storedKept } from './kept.ts';
import type { Member } from './members.ts';
import { leftFor } from './outside.ts';
import { prepare } from './prepare.ts';
import { sentElsewhere } from './sent-elsewhere.ts';
import { checkAnswer, type SettleParts, writeAnswer } from './settle.ts';
import { UNREADABLE_MS } from './unreadable.ts';

export type ArrivalsParts = SettleParts & {
  readonly dispatch: Dispatch;
  readonly away: Away;
  readonly reads: StoreReads;
  readonly timers: Timers;
  readonly observer: Observer;
  readonly logger: Logger;
  /** The answer of this attempt is recorded. */
  readonly answered: (name: AttemptName) => void;
};

/** How long, and how often, it is waited for the engine that handed a call over to write that down. */
const SOON_MS = 20;
const MOST_TRIES = 100;
const LISTEN_AGAIN_MS = 1000;

/** Takes what comes back of calls that were handed over, by this engine or any other, and writes it down. */
export class ArrivalsOffice implements Arrivals {
  readonly #parts: ArrivalsParts;
  /** Tasks whose answers are being written: whoever waits for them is told by us. */
  readonly #writing = new Map<string, number>();
  readonly #pauses = new Set<() => void>();
  #wanted = false;
  #closed = false;
  #listening: Promise<() => Promise<void>> | null = null;
  #cancel: () => void = () => {};

  constructor(parts: ArrivalsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#wanted = true;
    this.#listen();
  }

  /** Hears of nothing more; what was heard is written down. */
  async quiet(): Promise<void> {
    this.#wanted = false;
    this.#cancel();
    const listening = this.#listening;
    this.#listening = null;
    await listening?.then(
      (stop) => stop(),
      () => {},
    );
  }

  close(): void {
    this.#closed = true;
    for (const stop of this.#pauses) stop();
    this.#pauses.clear();
  }

  /** Whether an answer of the task is being written here. */
  tells(task_id: string): boolean {
    return this.#writing.has(task_id);
  }

  async ended(arrived: ArrivedAnswer): Promise<boolean> {
    const { task_id, generation, attempt, took_ms } = arrived;
    const ours = this.#parts.away.take(arrived);
    const said = sentElsewhere(arrived.answer, ours?.passage ?? null);
    if (ours !== null) leaveWith(ours, said, took_ms ?? 0);
    const known = await this.#knownOf(arrived, ours);
    if (known === null) {
      ours?.span.ended(null, took_ms ?? 0);
      return false;
    }
    const provider = arrived.provider ?? ours?.passage.provider.id ?? null;
    const whose = { ...known, start: { attempt, provider } };
    const answer = checkAnswer(this.#parts, whose, said);
    const name = { task_id, generation, attempt };
    if (ours !== null) ours.span.ended(answer, took_ms ?? 0);
    else this.#parts.observer.arrived({ ...name, provider, protocol: known.protocol }, answer, took_ms ?? 0);
    return this.#write(name, { provider, ago_ms: took_ms ?? 0, answer });
  }

  async kept({ task_id, generation, attempt, kept: value }: ArrivedKept): Promise<void> {
    const name = { task_id, generation, attempt };
    const known = this.#parts.away.secretsOf(name);
    const secrets = known ?? (await this.#lookUp(task_id))?.secrets ?? null;
    const kept = JSON.stringify(storedKept(value, { cipher: this.#parts.cipher, secrets }));
    const write = { kind: 'keep_away', ...name, kept } as const;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { soon } = await this.#parts.writer.write(write, { lasting: true });
      if (!soon) return;
      await this.#pause(SOON_MS);
    }
  }

  news: Arrivals['news'] = (news) => this.#parts.away.news(news);

  #listen(): void {
    const { dispatch, logger } = this.#parts;
    if (!this.#wanted || dispatch.listen === undefined) return;
    const listening = dispatch.listen(this);
    this.#listening = listening;
    listening.catch((thrown: unknown) => {
      if (this.#listening === listening) this.#listening = null;
      const { code, message } = GleitzeitError.from(thrown);
      logger.warn('answers of calls that were handed over cannot be heard; it is tried again', {
        ...{ code, error: message },
      });
      this.#cancel = this.#parts.timers.after(LISTEN_AGAIN_MS, () => this.#listen());
    });
  }

  async #write(
    name: AttemptName,
    arrived: Pick<ArrivedAnswer, 'provider' | 'answer'> & { ago_ms: number },
  ): Promise<boolean> {
    const { task_id } = name;
    const { outcomes, expectDue, random, writer } = this.#parts;
    const { provider, ago_ms } = arrived;
    const chance = random.next();
    this.#writing.set(task_id, (this.#writing.get(task_id) ?? 0) + 1);
    try {
      const start = { attempt: name.attempt, provider };
      const { recorded, answered, at } = await writeAnswer(arrived.answer, start, (answer, committed) =>
        writer.write(
          { kind: 'arrive', ...name, provider, ago_ms, answer, chance },
          { lasting: true, committed },
        ),
      );
      const { status, due_in_ms } = recorded;
      if (recorded.recorded) this.#parts.answered(name);
      if (due_in_ms !== null) expectDue(due_in_ms);
      if (recorded.recorded && status === 'completed' && answered.word === 'done')
        outcomes.record(task_id, { task_id, status, result: answered.result, error: null, stored_at: at });
      else if (status === null || isSettled(status)) outcomes.settled(task_id);
      return recorded.recorded;
    } finally {
      const left = (this.#writing.get(task_id) ?? 1) - 1;
      if (left === 0) this.#writing.delete(task_id);
      else this.#writing.set(task_id, left);
    }
  }

  /**
   * What has to be known of a call to write its end down; null where there is no such task. Throws where its method is not
   * known here: what is secret in a result could not be sealed.
   */
  async #knownOf({ task_id, called }: ArrivedAnswer, ours: AwayCall | null): Promise<Known | null> {
    if (ours !== null) return { ...ours.called, secrets: ours.secrets };
    const known = called?.secrets === false ? { ...called, secrets: [] } : await this.#lookUp(task_id);
    if (known !== null) this.#parts.schemas.secrets(known.protocol, known.method);
    return known;
  }

  /** Until the store answers: what is not recorded would come again and again. */
  async #lookUp(task_id: string): Promise<Known | null> {
    const found = await this.#read(() => this.#parts.reads.task(task_id));
    if (found === null) return null;
    const { protocol, method } = found.body.spec;
    const secrets = await this.#read(() => this.#secretsOf(found));
    return { protocol, method, secrets };
  }

  async #secretsOf({ task, body }: Member): Promise<readonly string[] | null> {
    const secrets: string[] = [];
    try {
      await prepare(this.#parts, { task, body, payloads: null }, secrets);
      leftFor(task, this.#parts.cipher, secrets);
      return secrets;
    } catch (thrown) {
      const error = GleitzeitError.from(thrown);
      if (error.class === 'store') throw error;
      return null;
    }
  }

  async #read<Found>(read: () => Promise<Found>): Promise<Found> {
    for (;;) {
      try {
        return await read();
      } catch (thrown) {
        if (this.#closed) throw thrown;
        await this.#pause(UNREADABLE_MS);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => {
      cancel();
      reject(new GleitzeitError('GLZ9002', 'the engine stopped before this was written'));
    };
    const cancel = this.#parts.timers.after(ms, () => {
      this.#pauses.delete(stop);
      resolve();
    });
    this.#pauses.add(stop);
    return promise;
  }
}

/** `secrets` null: there are some, and they cannot be opened here. */
type Known = Pick<CalledMethod, 'protocol' | 'method'> & { readonly secrets: readonly string[] | null };
