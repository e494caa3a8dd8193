import type { Admin } from '@platformatic/kafka';
import type { Presence } from '../presence.ts';

const USUAL = 2000;
const WHILE_AWAY = 500;

/** Asks the broker every now and then, and at once after a connection was cut, whether it is there. */
export class Pulse {
  readonly #admin: Admin;
  readonly #presence: Presence;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #stopped = false;

  constructor(admin: Admin, presence: Presence) {
    this.#admin = admin;
    this.#presence = presence;
    admin.on('client:broker:disconnect', () => this.#next(0));
    this.#next(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #next(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#asking) return;
    this.#timer = setTimeout(() => void this.#ask(), ms);
    this.#timer.unref();
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    const there = await this.#admin.metadata({ topics: [], forceUpdate: true }).then(
      () => true,
      () => false,
    );
    this.#asking = false;
    if (this.#stopped) return;
    this.#presence.become(there ? 'up' : 'away');
    this.#next(there ? USUAL : WHILE_AWAY);
  }
}
