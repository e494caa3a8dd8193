import { GleitzeitError } from '../core/errors.ts';
import { type Demand, type Divided, divide, emptySheet, type Grant, type Sheet } from '../core/pool/sheet.ts';
import { readSheet, sheetText } from '../core/pool/sheet-text.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { KeyBuckets, type Takers } from './key-buckets.ts';
import { SharedPlaces } from './shared-places.ts';
import type { SharedState } from './shared-state.ts';

export type QuotaParts = {
  readonly state: SharedState;
  /** Names of the engines that live, as the store knows them now. */
  readonly engines: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** There may be more than before. */
  readonly more: () => void;
};

const UNREADABLE_MS = 1000;
/** Others were quicker so often: it is tried again a little later. */
const MOST_TRIES = 5;
const AGAIN_MS = 20;

type Known = { readonly sheet: Sheet; readonly text: string; readonly version: number };

/**
 * Limits that engines share, in one document: each says there what it has and whether it could use more. Nothing is
 * read or written while this process has all it wants; the document is changed by whoever has seen it as it is.
 */
export class QuotaSheet {
  readonly key: string;
  readonly buckets: KeyBuckets;
  readonly #parts: QuotaParts;
  readonly #places = new Map<string, SharedPlaces>();
  #owner: string | null = null;
  #whole = false;
  #version = -1;
  #working = false;
  #timer: { readonly at: number; readonly cancel: () => void } | null = null;
  #stopped = false;
  #dirty = true;

  constructor(key: string, parts: QuotaParts) {
    this.key = key;
    this.#parts = parts;
    this.buckets = new KeyBuckets({
      clock: parts.clock,
      isWhole: () => this.#whole,
      look: (ms) => this.#look(ms),
    });
  }

  get isWhole(): boolean {
    return this.#whole;
  }

  places(name: string, most: number, used: (now: number) => number): SharedPlaces {
    const drop = () => {
      if (this.#places.get(name) !== places) return;
      this.#places.delete(name);
      if (this.#whole) return;
      this.#dirty = true;
      this.#look(0);
    };
    const isWhole = () => this.#whole;
    const look = (ms: number) => this.#look(ms);
    const places = new SharedPlaces(most, { name, used, isWhole, look, drop });
    this.#places.set(name, places);
    if (!this.#whole) this.#look(0);
    return places;
  }

  /** From now on it is asked for in this name; what was had in another is gone. */
  joined(owner: string): void {
    this.#owner = owner;
    this.#whole = false;
    this.#dirty = true;
    for (const places of this.#places.values()) places.forget();
    this.buckets.forget();
    this.#look(0);
  }

  /** Somebody else has written it. */
  seen(version: number): void {
    if (version === this.#version) return;
    this.#dirty = true;
    this.#look(0);
  }

  /** Nothing begins any more: what was taken is written down as a whole. */
  async leave(): Promise<void> {
    const owner = this.#owner;
    if (owner === null || !this.#whole) return;
    const { sheet, text, version } = await this.#read();
    if (sheet.whole !== owner) return;
    const last = sheetText({ ...sheet, ...this.buckets.left(sheet.buckets) });
    if (last !== text) await this.#write(last, version);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #look(ms: number): void {
    if (this.#stopped || this.#owner === null) return;
    const now = this.#parts.clock.monotonic();
    const at = now + Math.max(0, ms);
    if (this.#timer !== null && this.#timer.at <= at) return;
    this.#timer?.cancel();
    const cancel = this.#parts.timers.after(Math.max(0, ms), () => {
      this.#timer = null;
      void this.#work();
    });
    this.#timer = { at, cancel };
  }

  #isNews(): boolean {
    const now = this.#parts.clock.monotonic();
    if (this.#dirty || this.buckets.isNews(now)) return true;
    for (const places of this.#places.values()) if (places.isNews(now)) return true;
    return false;
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    if (!this.#isNews()) {
      this.#lookLater();
      return;
    }
    this.#working = true;
    const again_ms = await this.#settle().catch((thrown: unknown) => this.#unreadable(thrown));
    this.#working = false;
    if (again_ms > 0) this.#dirty = true;
    if (this.#isNews()) this.#look(again_ms);
    else this.#lookLater();
    this.#parts.more();
  }

  #lookLater(): void {
    const now = this.#parts.clock.monotonic();
    const looks = [
      this.buckets.nextLook(),
      ...[...this.#places.values()].map((places) => places.nextLook(now)),
    ];
    const times = looks.filter((time) => time !== null);
    if (times.length > 0) this.#look(Math.max(1, Math.min(...times) - now));
  }

  #unreadable(thrown: unknown): number {
    const fields = { limit: this.key, error: GleitzeitError.from(thrown).message };
    if (!this.#stopped) this.#parts.logger.warn('a shared limit could not be read; its calls wait', fields);
    return UNREADABLE_MS;
  }

  /** Returns in how many milliseconds it has to be tried again, 0 where it has not. */
  async #settle(): Promise<number> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const known = await this.#read();
      // After the document: who is named there joined before, and is dead where it is not among the living.
      const live = new Set(await this.#parts.engines());
      const owner = this.#owner;
      if (owner === null || this.#stopped) return 0;
      if (!live.has(owner)) return UNREADABLE_MS;
      if (await this.#change(known, owner, live)) return 0;
    }
    return AGAIN_MS;
  }

  async #change(known: Known, owner: string, live: ReadonlySet<string>): Promise<boolean> {
    this.#dirty = false;
    const now = this.#parts.clock.monotonic();
    const asked = new Map([...this.#places].map(([name, places]) => [name, places.demand(now)]));
    const { whole } = known.sheet;
    const wanted = whole !== null && whole !== owner && live.has(whole) ? this.buckets.demands() : [];
    const divided = divide(known.sheet, { owner, live, demands: [...asked.values(), ...wanted] });
    const left = whole === null || whole === owner ? 'by us' : 'by another';
    const tokens = this.buckets.settle(known.sheet, takersOf(divided.sheet, owner), left);
    const sheet = { ...divided.sheet, buckets: tokens.buckets };
    // That nothing has been taken is no reason to write.
    const isSame = sheetText(sheet) === known.text;
    const text = isSame ? known.text : sheetText({ ...sheet, at: tokens.at });
    if (sheet.whole !== owner) this.#lower(divided);
    let { version } = known;
    // Who waits in vain writes again what is there: others may not have heard of it.
    const isVain =
      wanted.length > 0 ||
      [...asked.values()].some((demand) => demand.hungry && isShort(divided.grants.get(demand.name)));
    if (text !== known.text || (isVain && known.version === this.#version)) {
      const written = await this.#write(text, known.version);
      if (written === null) return false;
      version = written;
    }
    if (owner !== this.#owner) return true;
    this.#version = version;
    this.#whole = sheet.whole === owner;
    this.#apply(divided, asked);
    tokens.apply();
    return true;
  }

  /** At once, and not when it has been written: calls begin meanwhile. */
  #lower({ grants }: Divided): void {
    for (const [name, grant] of grants) this.#places.get(name)?.lower(grant);
    this.#whole = false;
  }

  #apply({ grants }: Divided, asked: ReadonlyMap<string, Demand>): void {
    const now = this.#parts.clock.monotonic();
    for (const [name, grant] of grants) {
      const demand = asked.get(name);
      if (demand !== undefined) this.#places.get(name)?.settle(grant, demand, now);
    }
  }

  async #read(): Promise<Known> {
    const found = await this.#parts.state.read(this.key);
    if (found === null) return { sheet: emptySheet, text: '', version: 0 };
    return { sheet: readSheet(found.text), ...found };
  }

  /** Null where somebody else was quicker. */
  async #write(text: string, expect: number): Promise<number | null> {
    try {
      return (await this.#parts.state.write(this.key, text, expect)).version;
    } catch (thrown) {
      if (GleitzeitError.from(thrown).code !== 'GLZ1013') throw thrown;
      return null;
    }
  }
}

function takersOf({ whole }: Sheet, owner: string): Takers {
  if (whole === null) return 'all';
  return whole === owner ? 'we' : 'another';
}

function isShort(grant: Grant | undefined): boolean {
  return grant !== undefined && grant.held < grant.goal;
}
