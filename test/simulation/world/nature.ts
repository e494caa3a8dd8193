import { SimulatedData } from '../../../src/store/simulated/data.ts';
import { Dice } from './dice.ts';
import { Scheduler } from './scheduler.ts';
import { type Weather, weatherOfSeed } from './weather.ts';

export type Violation = { readonly invariant: string; readonly detail: string };

/** Wall time at which every simulated world begins. */
export const BEGINNING = 1_700_000_000_000;

/** What all parts of one simulated world share: its time, its chance, its data, and what was found wrong. */
export class Nature {
  readonly seed: number;
  readonly dice: Dice;
  readonly weather: Weather;
  readonly scheduler: Scheduler;
  readonly data = new SimulatedData();
  readonly violations: Violation[] = [];
  readonly lines: string[] = [];
  readonly #tracing: boolean;
  /** Nothing goes wrong any more. */
  calm = false;
  /** When something last went wrong. */
  disturbedAt = 0;
  diskFullUntil = 0;
  crashes = 0;

  constructor(seed: number, tracing: boolean) {
    this.seed = seed;
    this.#tracing = tracing;
    this.dice = new Dice(seed, 'faults');
    this.weather = weatherOfSeed(seed);
    this.scheduler = new Scheduler(new Dice(seed, 'ties'));
    this.calm = this.weather.fair;
  }

  get now(): number {
    return this.scheduler.now;
  }

  /** The clock of a store that several share. */
  databaseNow(): number {
    return Math.floor(BEGINNING + this.now);
  }

  /** Whether something with this chance goes wrong now. */
  mishap(probability: number): boolean {
    if (this.calm || probability === 0 || !this.dice.chance(probability)) return false;
    this.disturb();
    return true;
  }

  /** Something is wrong, for the next `ms` at least. */
  disturb(ms = 0): void {
    this.disturbedAt = Math.max(this.disturbedAt, this.now + ms);
  }

  fail(invariant: string, detail: string): void {
    this.trace('world', `VIOLATION ${invariant}: ${detail}`);
    this.violations.push({ invariant, detail });
  }

  trace(who: string, what: string, detail?: unknown): void {
    if (!this.#tracing) return;
    const told = detail === undefined ? '' : ` ${JSON.stringify(detail)}`;
    this.lines.push(`${this.now.toFixed(3).padStart(12)} ${who.padEnd(6)} ${what}${told}`);
  }
}

/** For a port of a process that is gone: nobody answers any more. */
export function never<Value>(): Promise<Value> {
  return new Promise(() => {});
}
