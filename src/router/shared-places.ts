import type { Demand, Grant } from '../core/pool/sheet.ts';
import type { Places } from './places.ts';

/** Who has more than others gives it up after so long, for as long. */
const TURN_MS = 1000;
/** What nobody uses or asks for is given back after so long. */
const LINGER_MS = 1000;
/** Who has had places to spare for so long does not need more. */
const SPARE_MS = 5;
/** Others give up what they do not use as soon as they hear of it: who has to wait longer may go elsewhere. */
const PATIENCE_MS = 500;
/** Others may have given places back without our hearing of it. */
const LOOK_MS = 2000;

export type SharedPlacesParts = {
  readonly name: string;
  readonly used: (now: number) => number;
  /** This process is alone and may use everything. */
  readonly isWhole: () => boolean;
  /** It has to be looked at in so many milliseconds. */
  readonly look: (ms: number) => void;
  readonly drop: () => void;
};

/** The places of one limit that this process has, out of a sheet that others read and write too. */
export class SharedPlaces implements Places {
  readonly #parts: SharedPlacesParts;
  #most: number;
  #grant: Grant = nothing;
  /** Since when it could use more, or null. */
  #hungrySince: number | null = null;
  /** What the sheet says of it, and when that was seen; null before it says anything. */
  #stated: { readonly hungry: boolean; readonly at: number } | null = null;
  /** Since when there has been more than is used, and since when it has had more than others. */
  #spareSince: number | null = null;
  #unevenSince: number | null = null;

  constructor(most: number, parts: SharedPlacesParts) {
    this.#most = most;
    this.#parts = parts;
  }

  allowed(used: number): number {
    if (this.#parts.isWhole()) return this.#most;
    return Math.max(used, Math.min(this.#grant.held, this.#grant.goal));
  }

  could(used: number, now: number): number {
    const here = this.allowed(used);
    const waited = this.#hungrySince !== null && this.waitsUntil(now) === null;
    return waited ? here : Math.max(here, Math.min(this.#most, this.#grant.hope));
  }

  waitsUntil(now: number): number | null {
    const until = (this.#hungrySince ?? Number.NEGATIVE_INFINITY) + PATIENCE_MS;
    return until > now ? until : null;
  }

  hungry(now: number): void {
    if (this.#hungrySince !== null || this.#parts.isWhole()) return;
    this.#hungrySince = now;
    this.#parts.look(0);
  }

  get #hungry(): boolean {
    return this.#hungrySince !== null;
  }

  left(): void {
    if (this.#parts.isWhole()) return;
    const { held, goal, contested } = this.#grant;
    if (held > goal || (contested && !this.#hungry)) this.#parts.look(0);
    else this.#parts.look(this.#hungry ? SPARE_MS : LINGER_MS);
  }

  isShared(): boolean {
    return !this.#parts.isWhole();
  }

  isIdle(): boolean {
    return this.#parts.isWhole() || (this.#grant.held === 0 && !this.#hungry);
  }

  setMost(most: number): void {
    this.#most = most;
    this.#stated = null;
    this.#parts.look(0);
  }

  drop(): void {
    this.#parts.drop();
  }

  /** What to ask for now. */
  demand(now: number): Demand {
    const used = this.#parts.used(now);
    this.#spareSince = this.allowed(used) > used ? (this.#spareSince ?? now) : null;
    const spareFor = this.#spareSince === null ? 0 : now - this.#spareSince;
    if (spareFor >= SPARE_MS) this.#hungrySince = null;
    const yields = this.#unevenSince !== null && now - this.#unevenSince >= TURN_MS;
    const keep = this.#parts.isWhole() || spareFor >= LINGER_MS ? used : this.#grant.held;
    return { name: this.#parts.name, most: this.#most, used, keep, hungry: this.#hungry, yields };
  }

  /** Whether the sheet has to be read or written because of it. */
  isNews(now: number): boolean {
    const { used, keep, hungry, yields } = this.demand(now);
    if (this.#stated === null) return true;
    if (this.#parts.isWhole()) return false;
    const { held, goal, contested } = this.#grant;
    const canGive = used < held && (held > goal || (contested && !hungry) || keep < held);
    const isOld = hungry && now - this.#stated.at >= LOOK_MS;
    return yields || canGive || isOld || hungry !== this.#stated.hungry;
  }

  /** Before it is written that there are fewer: from now on no more than that are used. */
  lower(grant: Grant): void {
    this.#grant = {
      ...grant,
      held: Math.min(grant.held, this.#parts.isWhole() ? this.#most : this.#grant.held),
    };
  }

  /** It is in the store like that. */
  settle(grant: Grant, demand: Demand, now: number): void {
    this.#grant = grant;
    this.#stated = { hungry: demand.hungry, at: now };
    const since = demand.yields ? now : (this.#unevenSince ?? now);
    this.#unevenSince = grant.uneven ? since : null;
  }

  /** When it has to be looked at whatever happens, or null. */
  nextLook(now: number): number | null {
    if (this.#parts.isWhole() || this.#stated === null) return null;
    const spare = this.#grant.held > this.#parts.used(now);
    const times = [
      ...(this.#unevenSince === null ? [] : [this.#unevenSince + TURN_MS]),
      ...(spare ? [(this.#spareSince ?? now) + (this.#hungry ? SPARE_MS : LINGER_MS)] : []),
      ...(this.#hungry ? [this.#stated.at + LOOK_MS] : []),
    ];
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Whatever it had is not ours any more. */
  forget(): void {
    this.#grant = nothing;
    this.#stated = null;
    this.#spareSince = null;
    this.#unevenSince = null;
  }
}

/** What nobody has seen yet may be there. */
const nothing: Grant = {
  held: 0,
  goal: 0,
  contested: false,
  uneven: false,
  hope: Number.POSITIVE_INFINITY,
};
