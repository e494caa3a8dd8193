import type { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { isFinal } from './errors.ts';

/**
 * Trouble that is tried again and again is told once: as a warning where the broker refuses, so that somebody has to do
 * something, and for the curious where it is only away, which its state tells anyway.
 */
export class Complaints {
  readonly #logger: Logger;
  #last: string | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  about(error: GleitzeitError): void {
    const { message, details } = error;
    if (message === this.#last) return;
    this.#last = message;
    if (isFinal(error)) this.#logger.warn(message, { error_code: error.code, hint: details.hint });
    else this.#logger.debug(message, { error_code: error.code });
  }

  /** It works again. */
  over(): void {
    this.#last = undefined;
  }
}
