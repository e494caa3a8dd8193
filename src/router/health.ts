import type { Happening } from '../core/events.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Member } from './member.ts';
import { probe } from './probe.ts';

export type HealthParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly announce?: ((happening: Happening) => void) | undefined;
  /** It may be asked again: whoever waits for it can come. */
  readonly recovered: () => void;
};

/** Asks a provider every so often how it is, from when it is connected until it goes. One question at a time. */
export class HealthWatch {
  readonly #member: Member;
  readonly #parts: HealthParts;
  readonly #over = new AbortController();
  #cancel: () => void = () => {};

  constructor(member: Member, parts: HealthParts) {
    this.#member = member;
    this.#parts = parts;
    this.#next(0);
  }

  stop(): void {
    this.#over.abort();
    this.#cancel();
  }

  #next(ms: number): void {
    this.#cancel = this.#parts.timers.after(ms, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    const { health } = this.#member.settings;
    if (health === null) return;
    const ends = this.#over.signal;
    const { well, error } = await probe(this.#member.connection, health, { ...this.#parts, ends });
    if (ends.aborted) return;
    if (well) this.#well();
    else this.#ill(error?.message ?? 'no answer');
    this.#next(health.every_ms);
  }

  #well(): void {
    if (!this.#member.isResting('unhealthy')) return;
    this.#member.resume('unhealthy');
    this.#parts.announce?.({ event: 'provider:healthy', data: this.#who() });
    this.#parts.recovered();
  }

  #ill(reason: string): void {
    if (this.#member.isResting('unhealthy')) return;
    this.#member.rest('unhealthy');
    this.#parts.announce?.({ event: 'provider:unhealthy', data: { ...this.#who(), reason } });
  }

  #who(): { provider: string; protocol: string } {
    const { id: provider, protocol } = this.#member.connection;
    return { provider, protocol };
  }
}
