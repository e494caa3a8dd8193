import type { Timers } from '../../core/ports/clock.ts';
import type { Came, Line, Passage, RouteRequest, Router } from '../../core/ports/router.ts';

/** Comes out of its line, because it was called or because there may be another way now. */
type Waiter = (called: boolean) => void;

export type Patience = {
  /** Aborted: it does not want to come any more. */
  readonly signal: AbortSignal;
  /** It waits so long at most; null for as long as it takes. */
  readonly within_ms: number | null;
  /** Whether it waits in such a line at all. */
  readonly waits: (line: Line) => boolean;
};

export type Entered =
  | { readonly word: 'go'; readonly passage: Passage }
  /** It was not to wait there. */
  | { readonly word: 'wait'; readonly line: Line }
  | { readonly word: 'over' };

/**
 * Where calls stand that may not be made now, because their service is left in peace or has enough to do. They stand here
 * in memory: whoever goes away leaves them to others with the messages that brought them.
 */
export class Lines {
  readonly #router: Router;
  readonly #timers: Timers;
  readonly #lines = new Map<string, Set<Waiter>>();
  readonly #stops: readonly (() => void)[];

  constructor(router: Router, timers: Timers) {
    this.#router = router;
    this.#timers = timers;
    const called = router.onRoom?.((line, places) => Promise.resolve(this.#call(line, places)));
    const changed = router.onChange?.(() => this.#lookAgain());
    this.#stops = [called ?? nothing, changed ?? nothing];
  }

  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** A place, at once or when there is one. Throws GLZ2007 where nobody has the method. */
  enter(request: Omit<RouteRequest, 'called'>, patience: Patience): Entered | Promise<Entered> {
    if (patience.signal.aborted) return { word: 'over' };
    const routed = this.#router.route({ ...request, called: false });
    if (routed.word === 'go' || !patience.waits(routed.line)) return routed;
    return this.#stand(request, patience, routed.line);
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  async #stand(request: Omit<RouteRequest, 'called'>, patience: Patience, line: Line): Promise<Entered> {
    const end = new AbortController();
    const give = () => end.abort();
    patience.signal.addEventListener('abort', give);
    const { within_ms } = patience;
    const cancel = within_ms === null ? nothing : this.#timers.after(within_ms, give);
    try {
      for (let at = line; ; ) {
        const called = await this.#wait(at, end.signal);
        if (end.signal.aborted) return { word: 'over' };
        const routed = this.#router.route({ ...request, called });
        if (routed.word === 'go' || !patience.waits(routed.line)) return routed;
        at = routed.line;
      }
    } finally {
      cancel();
      patience.signal.removeEventListener('abort', give);
    }
  }

  #wait(line: Line, signal: AbortSignal): Promise<boolean> {
    const name = nameOf(line);
    const waiters = this.#lines.get(name) ?? new Set();
    this.#lines.set(name, waiters);
    return new Promise((resolve) => {
      const come: Waiter = (called) => {
        waiters.delete(come);
        if (waiters.size === 0 && this.#lines.get(name) === waiters) this.#lines.delete(name);
        signal.removeEventListener('abort', give);
        resolve(called);
      };
      const give = () => come(false);
      waiters.add(come);
      signal.addEventListener('abort', give);
    });
  }

  #call(line: Line, places: number): Came {
    const waiting = [...(this.#lines.get(nameOf(line)) ?? [])];
    const coming = waiting.slice(0, places);
    for (const come of coming) come(true);
    return { count: coming.length, more: waiting.length - coming.length };
  }

  /** Providers have come or gone: who waited for one that is not there any more hears so. */
  #lookAgain(): void {
    for (const waiters of [...this.#lines.values()]) for (const come of [...waiters]) come(false);
  }
}

const nothing = () => {};

function nameOf({ kind, key }: Line): string {
  return `${kind} ${key}`;
}
