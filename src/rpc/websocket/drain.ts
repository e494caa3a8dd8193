import type { Socket } from 'node:net';

/** Waiting for room in a connection: one listener for however many wait. */
export class Drain {
  readonly #carrier: Socket;
  #next: Promise<void> | null = null;

  constructor(carrier: Socket) {
    this.#carrier = carrier;
  }

  /** Resolves when everything that waited has left, or can never leave. To be asked only while something waits. */
  wait(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      const done = () => {
        this.#carrier.off('drain', done).off('close', done);
        this.#next = null;
        resolve();
      };
      this.#carrier.on('drain', done).on('close', done);
    });
    return this.#next;
  }
}
