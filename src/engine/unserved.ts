import { callName, unservedName } from '../core/parked.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';

/** Models come from params: there may be any number of them. */
const MOST_CALLS = 1000;
/** After this long it is tried again: a provider may learn a method without anybody being told. */
const BELIEVED_MS = 10_000;

export type UnservedCall = {
  readonly protocol: string;
  readonly method: string;
  /** Null where it is the method that nobody has. */
  readonly model: string | null;
  /** The one provider that may take it, where that is not there. */
  readonly only: string | null;
  readonly reason: string | undefined;
};

/** Which methods and models came up here that no provider has. Their tasks are left to other engines. */
export class Unserved {
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Protocol and method → until when it is believed. */
  readonly #calls = new Map<string, number>();

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  note(unserved: UnservedCall): void {
    const { protocol, method, model, only } = unserved;
    const call = callName(protocol, unservedName(method, model, only));
    if (!this.#calls.has(call)) {
      this.#warn(unserved);
      if (this.#calls.size >= MOST_CALLS) this.#dropFirst();
    }
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

  #warn({ protocol, method, model, only, reason }: UnservedCall): void {
    const call = { protocol, method };
    if (model !== null)
      this.#logger.warn('no provider here serves this model; its tasks wait for one', {
        ...call,
        model,
        reason,
      });
    else if (only !== null)
      this.#logger.warn('the provider that tasks name is not here; they wait for it', {
        ...call,
        provider: only,
      });
    else this.#logger.warn('no provider here has this method; its tasks wait for one', call);
  }

  #dropFirst(): void {
    const [first] = this.#calls.keys();
    if (first !== undefined) this.#calls.delete(first);
  }
}
