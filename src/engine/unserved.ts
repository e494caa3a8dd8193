import { callName } from '../core/parked.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';

/** After this long it is tried again: a provider may learn a method without anybody being told. */
const BELIEVED_MS = 10_000;

/** Which methods came up here that no provider has. Their tasks are left to other engines. */
export class Unserved {
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Protocol and method → until when it is believed. */
  readonly #calls = new Map<string, number>();

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  note({ protocol, method }: { readonly protocol: string; readonly method: string }): void {
    const call = callName(protocol, method);
    if (!this.#calls.has(call))
      this.#logger.warn('no provider here has this method; its tasks wait for one', { protocol, method });
    this.#calls.set(call, this.#clock.monotonic() + BELIEVED_MS);
  }

  get calls(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#calls].filter(([, until]) => until > now).map(([call]) => call);
  }

  /** Providers have come or gone. */
  forget(): void {
    this.#calls.clear();
  }
}
