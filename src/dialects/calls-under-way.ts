import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { type Limit, tookTooLong } from './timeout.ts';

/**
 * The calls of a provider that has no channel of its own to end them. Each has one signal: its own, the timeout of the
 * provider and the provider's end in one.
 */
export class CallsUnderWay {
  readonly #calls = new Map<AbortController, Promise<unknown>>();
  #closed = false;

  async make(
    outer: AbortSignal,
    limit: Limit | null,
    made: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#closed) throw closed();
    const controller = new AbortController();
    const forward = () => controller.abort(outer.reason);
    if (outer.aborted) forward();
    outer.addEventListener('abort', forward);
    const cancel = limit?.timers.after(limit.ms, () => controller.abort(tookTooLong(limit.ms)));
    const call = made(controller.signal);
    this.#calls.set(controller, call);
    try {
      return await call;
    } finally {
      this.#calls.delete(controller);
      cancel?.();
      outer.removeEventListener('abort', forward);
    }
  }

  /** Ends what runs, and waits until it has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#calls];
    for (const [controller] of running) controller.abort(closed());
    await Promise.allSettled(running.map(([, call]) => call));
  }
}

function closed(): GleitzeitError {
  return new GleitzeitError('GLZ2002', 'the provider is closed');
}
