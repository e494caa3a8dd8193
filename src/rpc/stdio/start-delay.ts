import { GleitzeitError } from '../../core/errors.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import { givenUp } from '../correlate.ts';

const FIRST_MS = 100;
/**
 * Calls wait for this, and whoever makes them decides how often a program that is down is called at all: a longer delay
 * would make a program that ends look like one that does not answer. A start costs more than a connection.
 */
const LONGEST_MS = 1000;

/**
 * How long a child that keeps ending is left alone before it is started again. One that said anything starts afresh at
 * once when it is next needed: it may be a program that ends after each call.
 */
export class StartDelay {
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #ends = new AbortController();
  #failures = 0;
  #notBefore = 0;

  constructor({ timers, clock }: { timers: Timers; clock: Clock }) {
    this.#timers = timers;
    this.#clock = clock;
  }

  reset(): void {
    this.#failures = 0;
  }

  grow(): void {
    const ms = this.#failures === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#failures - 1));
    this.#notBefore = this.#clock.monotonic() + ms;
    this.#failures++;
  }

  end(): void {
    this.#ends.abort(new GleitzeitError('GLZ2002', 'the channel is closed'));
  }

  async wait(signal: AbortSignal): Promise<void> {
    const ms = this.#notBefore - this.#clock.monotonic();
    if (ms <= 0 || signal.aborted) return;
    const either = AbortSignal.any([signal, this.#ends.signal]);
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        cancel();
        reject(givenUp(either));
      };
      const cancel = this.#timers.after(ms, () => {
        either.removeEventListener('abort', abort);
        resolve();
      });
      either.addEventListener('abort', abort, { once: true });
    });
  }
}
