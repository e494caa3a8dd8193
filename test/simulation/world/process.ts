import type { Clock, Timers } from '../../../src/core/ports/clock.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Doorman } from '../../../src/engine/testing/doorman.suite.ts';
import type { SimulatedStore } from '../../../src/store/simulated/store.ts';
import { BEGINNING, type Nature } from './nature.ts';

/** One life of an engine: from its start until it crashes or stops. Whatever reaches it goes through `deliver`. */
export class EngineProcess {
  readonly nature: Nature;
  readonly name: string;
  readonly slot: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly #liveTimers = new Set<object>();
  readonly #onGone: (() => void)[] = [];
  #wallOffset: number;
  state: 'running' | 'stopping' | 'stopped' | 'crashed' = 'running';
  pausedUntil = 0;
  partitionedUntil = 0;
  /** Commits and reads that took effect and whose answer the engine has not seen. */
  unanswered = 0;
  /** When the newest commit has taken effect, and when it is answered. */
  readonly commits = { effect: Promise.resolve(), answer: Promise.resolve() };
  /** A commit failed for the engine, and it has not yet made sure of what it holds. */
  inDoubt = false;
  /** Tasks whose calls are on their way to the broker. */
  readonly sending = new Set<string>();
  quiet = false;
  /** The store's clock, as this process would read it now. */
  storeNow: () => number = () => 0;
  engine: Engine | null = null;
  doorman: Doorman | null = null;
  store: SimulatedStore | null = null;

  constructor(nature: Nature, place: { slot: number; life: number }, wallOffset: number) {
    this.nature = nature;
    this.slot = place.slot;
    this.name = `e${place.slot}.${place.life}`;
    this.#wallOffset = wallOffset;
    const rate = 1 + nature.weather.clock_drift;
    const begun = nature.now;
    this.clock = {
      wall: () => BEGINNING + this.#wallOffset + nature.now * rate,
      monotonic: () => (nature.now - begun) * rate,
    };
    this.timers = {
      after: (ms, call) => this.#timer(ms / rate, call),
      soon: (call) => this.deliver(0, call),
    };
  }

  get alive(): boolean {
    return this.state === 'running' || this.state === 'stopping';
  }

  get timersLeft(): number {
    return this.#liveTimers.size;
  }

  jumpClock(ms: number): void {
    this.#wallOffset += ms;
  }

  /** Brings something to this process: never once it is dead, later while it is paused. */
  deliver(ms: number, call: () => void): () => void {
    let cancel = () => {};
    const arrive = () => {
      if (this.state === 'crashed') return;
      const pause = this.pausedUntil - this.nature.now;
      if (pause > 0) cancel = this.nature.scheduler.after(pause, arrive);
      else call();
    };
    cancel = this.nature.scheduler.after(ms, arrive);
    return () => cancel();
  }

  /** A promise of this process: it stays open for ever if the process dies first. */
  arrival(ms: number): Promise<void> {
    return new Promise((resolve) => this.deliver(ms, resolve));
  }

  whenGone(call: () => void): void {
    if (this.alive) this.#onGone.push(call);
    else call();
  }

  end(state: 'stopped' | 'crashed'): void {
    this.state = state;
    for (const call of this.#onGone.splice(0)) call();
  }

  #timer(ms: number, call: () => void): () => void {
    if (this.state === 'crashed') return () => {};
    const timer = {};
    this.#liveTimers.add(timer);
    const cancel = this.deliver(ms, () => {
      this.#liveTimers.delete(timer);
      call();
    });
    return () => {
      this.#liveTimers.delete(timer);
      cancel();
    };
  }
}
