import type { Event } from '../../../src/core/events.ts';
import type { Reporting } from '../world/call-record.ts';
import type { Report } from './step.ts';

type Piece = { readonly of: Reporting; readonly late: boolean };

/** What calls report of themselves: told of the attempt that said it and of no other, once at most, and not after its end. */
export class Reports {
  readonly #report: Report;
  readonly #pieces = new Map<string, Piece>();
  readonly #told = new Set<string>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** A call reports: the text that stands for it, and for nothing else in this world. */
  made(of: Reporting): string {
    const text = `${this.#pieces.size}`;
    this.#pieces.set(text, { of, late: of.ended });
    return `${text};`;
  }

  note(event: Event): void {
    if (event.event !== 'task:progress') return;
    const { attempt, text = '' } = event.data;
    for (const name of text.split(';').filter((part) => part !== '')) {
      const piece = this.#pieces.get(name);
      const where = `${event.task_id}, attempt ${attempt}: ${name}`;
      if (piece?.of.task_id !== event.task_id || piece?.of.attempt !== attempt)
        this.#report('progress belongs to its attempt', where);
      else if (piece.late) this.#report('nothing is heard of a call that has ended', where);
      else if (this.#told.has(name)) this.#report('progress is told once', where);
      this.#told.add(name);
    }
  }
}
