import { hashOf } from '../core/pool/select.ts';
import type { KeyCounting } from './key-gates.ts';
import type { MakePlaces } from './places.ts';
import { type QuotaParts, QuotaSheet } from './quota-sheet.ts';
import type { Limits } from './settings.ts';
import type { WatchedState } from './shared-state.ts';

/** There may be any number of keys: so many documents are for all keys of a protocol. */
const KEY_SHEETS = 16;
/** What others write is looked at so often at most. */
const LOOK_MS = 10;

export type QuotasParts = Omit<QuotaParts, 'more' | 'state'> & {
  readonly state: WatchedState;
  /** No other engine can work on the store: places are counted in this process, and only rates of keys are written. */
  readonly exclusive: boolean;
};

/** What the engines on a store share of all limits: places everywhere, and the rates of keys. */
export class Quotas {
  readonly #parts: QuotasParts;
  readonly #sheets = new Map<string, QuotaSheet>();
  #owner: string | null = null;
  #more: () => void = () => {};
  #cancelLook: (() => void) | null = null;
  #stopped = false;

  constructor(parts: QuotasParts) {
    this.#parts = parts;
  }

  /** Calls whenever there may be more than before. */
  onMore(listener: () => void): void {
    this.#more = listener;
  }

  readonly places: MakePlaces = (name, most, used) =>
    this.#parts.exclusive ? null : this.#sheet(name).places(name, most, used);

  /** Keys of this protocol are going to be asked for: who is alone has them from the start. */
  keys(protocol: string, { rate }: Limits): KeyCounting {
    if (this.#parts.exclusive && rate === null) return {};
    const sheets = Array.from({ length: KEY_SHEETS }, (_, number) =>
      this.#sheet(`keys ${protocol} ${number}`),
    );
    const sheetOf = (key: string) => sheets[hashOf(key) % KEY_SHEETS] ?? this.#sheet(`keys ${protocol} 0`);
    return {
      tokens: (key, limit) => sheetOf(key).buckets.tokens(key, limit),
      places: this.#parts.exclusive ? undefined : (key, most, used) => sheetOf(key).places(key, most, used),
    };
  }

  /** The engine is known to the store by this name from now on. */
  joined(owner: string): void {
    this.#owner = owner;
    for (const sheet of this.#sheets.values()) sheet.joined(owner);
  }

  /** Others have written something. */
  changed(): void {
    if (this.#stopped || this.#cancelLook !== null || this.#sheets.size === 0) return;
    this.#cancelLook = this.#parts.timers.after(LOOK_MS, () => {
      this.#cancelLook = null;
      void this.#look();
    });
  }

  async leave(): Promise<void> {
    await Promise.all([...this.#sheets.values()].map((sheet) => sheet.leave()));
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
    for (const sheet of this.#sheets.values()) sheet.stop();
  }

  async #look(): Promise<void> {
    // Where it cannot be read: whoever asks in vain asks again.
    const versions = await this.#parts.state.versions().catch(() => []);
    for (const { name, version } of versions) this.#sheets.get(name)?.seen(version);
  }

  #sheet(name: string): QuotaSheet {
    const found = this.#sheets.get(name);
    if (found !== undefined) return found;
    // A store that has one engine also names those that were killed.
    const alone = async () => (this.#owner === null ? [] : [this.#owner]);
    const engines = this.#parts.exclusive ? alone : this.#parts.engines;
    const sheet = new QuotaSheet(name, { ...this.#parts, engines, more: () => this.#more() });
    this.#sheets.set(name, sheet);
    if (this.#owner !== null) sheet.joined(this.#owner);
    return sheet;
  }
}
