import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { secretForms } from '../../core/secret-forms.ts';
import { maskForms } from '../../core/secrets.ts';
import { LineReader } from './line-reader.ts';

const MAX_LINE = 1000;
const TAIL_LINES = 10;
const LINES_A_SECOND = 20;

/** Shorter ones are words that occur everywhere. */
const SHORTEST_SECRET = 8;

export type StandardErrorOptions = {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly program: string;
  /** What the child was given and must not be read anywhere, should it print it. */
  readonly secrets: readonly string[];
};

/**
 * What a child prints to its standard error: into the log, cut and counted, since a child that screams must not fill the
 * disk; and the last lines kept, since they say why it ended.
 */
export class StandardError {
  readonly #log: (line: string) => void;
  readonly #clock: Clock;
  readonly #reader: LineReader;
  readonly #forms: readonly string[];
  readonly #tail: string[] = [];
  #second = 0;
  #linesInSecond = 0;
  #leftOut = 0;

  constructor({ logger, clock, program, secrets }: StandardErrorOptions) {
    this.#log = (line) => logger.info('a child process says', { program, line });
    this.#clock = clock;
    this.#forms = secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(secretForms);
    this.#reader = new LineReader(MAX_LINE, {
      message: (bytes) => this.#heard(textOf(bytes)),
      refused: (head) => this.#heard(`${textOf(head.subarray(0, MAX_LINE))} …`),
      broken: () => {},
    });
  }

  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  /** The last lines, and what stands there without a line end. */
  end(): string {
    this.#reader.push(Buffer.from('\n'));
    this.#tellLeftOut();
    return this.#tail.join('\n');
  }

  #heard(said: string): void {
    const line = maskForms(said, this.#forms, '***');
    this.#tail.push(line);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
    const second = Math.floor(this.#clock.monotonic() / 1000);
    if (second !== this.#second) this.#nextSecond(second);
    if (this.#linesInSecond++ < LINES_A_SECOND) this.#log(line);
    else this.#leftOut++;
  }

  #nextSecond(second: number): void {
    this.#second = second;
    this.#linesInSecond = 0;
    this.#tellLeftOut();
  }

  #tellLeftOut(): void {
    if (this.#leftOut > 0) this.#log(`(${this.#leftOut} more lines were left out)`);
    this.#leftOut = 0;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').trimEnd();
}
