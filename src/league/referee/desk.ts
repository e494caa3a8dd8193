import { GleitzeitError } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Assignment, Report } from './assignment.ts';

export type DeskParts = {
  /** Plays the match and gives its result. */
  readonly play: (assignment: Assignment) => Promise<Report>;
  /** Resolves when the manager has it, or does not want it. */
  readonly report: (report: Report) => Promise<void>;
  readonly logger: Logger;
};

/** So many results are kept, for a manager that lost its mind and assigns a match again. */
const MOST_RESULTS = 10_000;

/** Takes every assignment at once and plays them one after another. Results are reported while the next match runs. */
export class Desk {
  readonly #parts: DeskParts;
  readonly #waiting = new Map<string, Assignment>();
  readonly #results = new Map<string, Report>();
  readonly #reporting = new Map<string, Promise<void>>();
  #playing: string | null = null;
  #open = true;
  #idle: Promise<void> = Promise.resolve();

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get waiting(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Not yet with the manager: to be played, played now, or being reported. */
  get held(): readonly string[] {
    const playing = this.#playing === null ? [] : [this.#playing];
    return [...new Set([...playing, ...this.#waiting.keys(), ...this.#reporting.keys()])];
  }

  get playing(): string | null {
    return this.#playing;
  }

  get open(): boolean {
    return this.#open;
  }

  get played(): number {
    return this.#results.size;
  }

  /** What was played is not played again: its result is reported once more. */
  take(assignment: Assignment): void {
    const { match_id } = assignment;
    const known = this.#results.get(match_id);
    if (known !== undefined) this.#report(match_id, known);
    if (known !== undefined || this.#playing === match_id) return;
    this.#waiting.set(match_id, assignment);
    if (this.#playing === null) this.#idle = this.#work();
  }

  /** Begins no further match. */
  quiet(): void {
    this.#open = false;
    this.#waiting.clear();
  }

  /** Resolves when nothing is played or reported any more. */
  async done(): Promise<void> {
    await this.#idle;
    await Promise.all(this.#reporting.values());
  }

  async #work(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.delete(next.match_id);
      this.#playing = next.match_id;
      try {
        const report = await this.#parts.play(next);
        this.#keep(next.match_id, report);
        this.#report(next.match_id, report);
      } catch (thrown) {
        // The manager gives the match to another referee when its time is up, or to this one when it is back.
        const { message } = GleitzeitError.from(thrown);
        this.#parts.logger.warn('a match was left', { match_id: next.match_id, message });
      }
      this.#playing = null;
    }
  }

  #next(): Assignment | undefined {
    const [first] = this.#waiting.values();
    return this.#open ? first : undefined;
  }

  #keep(match_id: string, report: Report): void {
    this.#results.set(match_id, report);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= MOST_RESULTS) break;
      this.#results.delete(oldest);
    }
  }

  #report(match_id: string, report: Report): void {
    if (this.#reporting.has(match_id)) return;
    const told = this.#parts.report(report).catch((thrown: unknown) => {
      const { message } = GleitzeitError.from(thrown);
      this.#parts.logger.warn('a result was not reported', { match_id, message });
    });
    this.#reporting.set(
      match_id,
      told.then(() => void this.#reporting.delete(match_id)),
    );
  }
}
