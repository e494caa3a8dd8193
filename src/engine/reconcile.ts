import type { Timers } from '../core/ports/clock.ts';
import type { AnswerTo } from '../core/writes.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Writer } from './writer.ts';

/** How often a commit is looked for that takes effect late, each time after a pause so many times as long. */
const LATER_LOOKS = 3;
const LONGER = 4;

export type ReconcilerParts = {
  readonly timers: Timers;
  /** The pause before the first later look. */
  readonly lease_ttl_ms: number;
  readonly writer: Writer;
  readonly dispatcher: () => Dispatcher;
  readonly owner: () => string;
  /** What was known before may no longer hold. */
  readonly done: () => void;
};

/**
 * After a commit whose answer was lost, engine and store may not agree on who holds what. Gives back what the store has
 * down as ours and we do not hold, and drops what we hold and is ours no longer. Once is not enough: a server whose
 * client is gone may still carry out what it was sent, and claim tasks for us that nobody would ever run.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  #underWay = false;
  #cancelLook: () => void = () => {};

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** Nothing is claimed meanwhile: it would not be on the list. */
  get underWay(): boolean {
    return this.#underWay;
  }

  start(): void {
    this.#lookLater(LATER_LOOKS, this.#parts.lease_ttl_ms);
    this.#compare();
  }

  stop(): void {
    this.#cancelLook();
  }

  #lookLater(looks: number, ms: number): void {
    this.#cancelLook();
    if (looks === 0) return;
    this.#cancelLook = this.#parts.timers.after(ms, () => {
      this.#lookLater(looks - 1, ms * LONGER);
      this.#compare();
    });
  }

  #compare(): void {
    if (this.#underWay) return;
    this.#underWay = true;
    const { writer, owner, dispatcher } = this.#parts;
    // The list is made when its commit starts: what a commit under way claims is then on it.
    const list = () => ({ kind: 'reconcile', owner: owner(), held: dispatcher().leases() }) as const;
    writer.writeLate<'reconcile'>(list).then(
      (answer) => this.#finish(answer),
      () => this.#finish({ released: 0, gone: [] }),
    );
  }

  #finish({ gone }: AnswerTo<'reconcile'>): void {
    this.#underWay = false;
    // Nothing was claimed since the list was made, so what we hold is what was on it.
    for (const { task_id } of gone) this.#parts.dispatcher().revoke(task_id);
    this.#parts.done();
  }
}
