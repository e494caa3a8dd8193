import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';

/**
 * The end of a call, whoever brings it about: the caller who cancels, the deadline, or the engine that stops. One
 * AbortSignal for all three, made only if the provider asks for it.
 */
export class CallEnd {
  #controller: AbortController | null = null;
  #reason: GleitzeitError | null = null;
  #ended: ((reason: GleitzeitError) => void) | null = null;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== null) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Why it was ended before its answer came; null where it was not. */
  get reason(): GleitzeitError | null {
    return this.#reason;
  }

  end(reason: GleitzeitError): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#ended?.(reason);
  }

  onEnd(listener: (reason: GleitzeitError) => void): void {
    this.#ended = listener;
    if (this.#reason !== null) listener(this.#reason);
  }
}

/**
 * The answer of a call, or what ended it first. A provider that does not heed its signal is not waited for: its
 * late answer goes nowhere.
 */
export function answerBefore(
  call: Promise<Answer>,
  end: CallEnd,
  limit: { timers: Timers; ms: number; what: string },
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const cancel = limit.timers.after(limit.ms, () => {
    end.end(
      new GleitzeitError('GLZ2003', `no answer within ${limit.ms / 1000} s`, {
        field: limit.what,
        hint: `raise the ${limit.what} of the task if the service needs longer`,
      }),
    );
  });
  const finish = (answer: Answer) => {
    cancel();
    resolve(answer);
  };
  end.onEnd((reason) => finish({ word: 'failed', error: reason.toRecord() }));
  call.then(finish, (thrown: unknown) => {
    finish({ word: 'failed', error: GleitzeitError.from(thrown, 'GLZ2001').toRecord() });
  });
  return promise;
}
