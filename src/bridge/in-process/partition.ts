import type { Message, News } from '../broker.ts';

/** What is kept of one partition: messages numbered without gaps, the oldest of which may be gone. */
export class Partition {
  readonly number: number;
  #kept: News[] = [];
  #start = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** The oldest offset that is kept. */
  get start(): number {
    return this.#start;
  }

  /** The offset that the next message gets. */
  get end(): number {
    return this.#start + this.#kept.length;
  }

  append(message: Message): void {
    this.#kept.push(asNews(message));
  }

  at(offset: number): News | undefined {
    return this.#kept[offset - this.#start];
  }

  forget(before: number): void {
    if (before <= this.#start) return;
    this.#kept = this.#kept.slice(before - this.#start);
    this.#start = before;
  }
}

/** A copy: what one member does to a value is not seen by others. */
export function asNews({ key, value, headers }: Message): News {
  return { key, value: Buffer.from(value), headers: { ...headers } };
}
