import type { Random } from '../../../src/core/ports/random.ts';

/** Seeded chance (sfc32). Each label gives a stream of its own, so that one part's draws do not move another's. */
export class Dice implements Random {
  readonly #seed: number;
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: number, label = '') {
    this.#seed = seed;
    this.#a = mix(seed, label);
    this.#b = mix(seed ^ 0x9e3779b9, label);
    this.#c = mix(seed ^ 0x85ebca6b, label);
    for (let i = 0; i < 12; i++) this.next();
  }

  fork(label: string): Dice {
    return new Dice(this.#seed, label);
  }

  next(): number {
    const sum = (this.#a + this.#b + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 4294967296;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.next() * 256));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.next() * items.length)] ?? items[0];
  }

  some<Item>(items: readonly Item[], probability: number): Item[] {
    return items.filter(() => this.chance(probability));
  }
}

function mix(seed: number, label: string): number {
  let hash = (seed ^ 0x811c9dc5) | 0;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return hash ^ (hash >>> 15);
}
