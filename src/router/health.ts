import type { Happening } from '../core/events.ts';
import { firstQuestion, isHungAgain, nextQuestion, usualMisses } from '../core/pool/health.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { LastError } from './last-error.ts';
import type { Member } from './member.ts';
import type { Openings } from './openings.ts';
import { probe } from './probe.ts';
import type { HealthCheck } from './settings.ts';

export type HealthParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Chance, in [0, 1). */
  readonly draw: () => number;
  /** Where it is kept that it does not answer. */
  readonly openings: Openings;
  readonly announce?: ((happening: Happening) => void) | undefined;
  /** It may be asked again: whoever waits for it can come. */
  readonly recovered: () => void;
};

/** What the questions have found out so far. */
export type HealthStatus = {
  /** Questions in a row without an answer. */
  readonly misses: number;
  /** What came of the last question where that was an error. */
  readonly last_error: LastError | null;
  /** When it is asked next. */
  readonly next_probe: number;
};

/** Who is asked how it is, and whether one was ill when the process ended. */
export class HealthWatches {
  readonly #parts: HealthParts;
  readonly #watches = new Map<Member, HealthWatch>();

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** One that was ill gets no calls before it has answered; any other is taken to be well. */
  begin(member: Member): void {
    const { openings } = this.#parts;
    const { id } = member.connection;
    const { health } = member.settings;
    if (health === null) {
      openings.recovered(id);
      return;
    }
    if (openings.isIll(id)) member.rest('unhealthy');
    this.#watches.set(member, new HealthWatch(member, health, this.#parts));
  }

  /** It is asked something else now: what was found out by the old question says nothing of the new one. */
  beginAnew(member: Member): void {
    this.end(member);
    member.resume('unhealthy');
    this.#parts.openings.recovered(member.connection.id);
    this.begin(member);
  }

  /** Null for one that is not asked. */
  of(member: Member): HealthStatus | null {
    return this.#watches.get(member)?.status ?? null;
  }

  end(member: Member): void {
    this.#watches.get(member)?.stop();
    this.#watches.delete(member);
  }
}

/** Asks a provider every so often how it is, from when it is connected until it goes. One question at a time. */
class HealthWatch {
  readonly #member: Member;
  readonly #health: HealthCheck;
  readonly #parts: HealthParts;
  readonly #over = new AbortController();
  #misses = 0;
  #error: LastError | null = null;
  #nextAt = 0;
  #silentSince = 0;
  #cancel: () => void = () => {};

  constructor(member: Member, health: HealthCheck, parts: HealthParts) {
    this.#member = member;
    this.#health = health;
    this.#parts = parts;
    const { every_ms } = health;
    this.#next(member.isResting('unhealthy') ? 0 : firstQuestion({ every_ms, draw: parts.draw() }));
  }

  get status(): HealthStatus {
    return { misses: this.#misses, last_error: this.#error, next_probe: this.#nextAt };
  }

  stop(): void {
    this.#over.abort();
    this.#cancel();
  }

  #next(ms: number): void {
    const { clock, timers } = this.#parts;
    this.#nextAt = clock.monotonic() + ms;
    this.#cancel = timers.after(ms, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const ends = this.#over.signal;
    const asked = this.#parts.clock.monotonic();
    const { well, error } = await probe(this.#member.connection, this.#health, { ...this.#parts, ends });
    if (ends.aborted) return;
    this.#error = error;
    if (well) this.#well();
    else this.#missed(error?.message ?? 'no answer', asked);
    const { every_ms } = this.#health;
    this.#next(nextQuestion({ every_ms, misses: this.#misses, draw: this.#parts.draw() }));
  }

  #well(): void {
    this.#misses = 0;
    this.#parts.openings.recovered(this.#member.connection.id);
    if (!this.#member.isResting('unhealthy')) return;
    this.#member.resume('unhealthy');
    this.#parts.announce?.({ event: 'provider:healthy', data: this.#who() });
    this.#parts.recovered();
  }

  #missed(reason: string, asked: number): void {
    const { failures = usualMisses } = this.#health;
    if (this.#misses % failures === 0) this.#silentSince = asked;
    this.#misses++;
    if (isHungAgain({ misses: this.#misses, failures }))
      this.#member.connection.renew(this.#parts.clock.monotonic() - this.#silentSince);
    if (this.#misses < failures) return;
    this.#parts.openings.fellIll(this.#member.connection.id);
    if (this.#member.isResting('unhealthy')) return;
    this.#member.rest('unhealthy');
    this.#parts.announce?.({ event: 'provider:unhealthy', data: { ...this.#who(), reason } });
  }

  #who(): { provider: string; protocol: string } {
    const { id: provider, protocol } = this.#member.connection;
    return { provider, protocol };
  }
}
