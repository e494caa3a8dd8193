import { isSameRate } from '../core/pool/bucket.ts';
import type { Line, RouteRequest } from '../core/ports/router.ts';
import type { Counting } from './counting.ts';
import { type Door, protocolLine } from './doors.ts';
import { type Counted, Gate } from './gate.ts';
import { gateSource } from './gate-source.ts';
import { KeyGates } from './key-gates.ts';
import { keyAt, keyText } from './request-key.ts';
import type { PoolSettings } from './settings.ts';
import type { LineSource } from './waiting-line.ts';

/** A call that has passed: its doors are others once the limits have changed. */
type Inside = { readonly request: RouteRequest; doors: readonly Door[] };

export type PoolDoorsParts = {
  readonly protocol: string;
  readonly settings: PoolSettings;
  readonly counting: Counting;
};

/** What calls of a protocol pass before their provider: the gate of their key, and the one for all of them. */
export class PoolDoors {
  readonly #protocol: string;
  readonly #counting: Counting;
  readonly #inside = new Set<Inside>();
  #settings: PoolSettings;
  #gate: Gate;
  #ofAll: readonly Door[];
  #keys: KeyGates | null;

  constructor({ protocol, settings, counting }: PoolDoorsParts) {
    this.#protocol = protocol;
    this.#counting = counting;
    this.#settings = settings;
    this.#gate = new Gate(settings.limits, this.#counted(settings));
    this.#ofAll = this.#doorsOfAll();
    this.#keys = this.#keyGates(settings);
  }

  get gate(): Gate {
    return this.#gate;
  }

  get hasKeys(): boolean {
    return this.#keys !== null;
  }

  /** Calls that run count by the new limits, also where another key is meant from now on. */
  adjust(settings: PoolSettings, now: number): void {
    const before = this.#settings;
    this.#settings = settings;
    this.#gate = this.#gate.with(settings.limits, this.#counted(settings, before));
    this.#ofAll = this.#doorsOfAll();
    const sameKeys = this.#adjustKeys(before, now);
    for (const inside of this.#inside) this.#move(inside, { sameKeys, now });
  }

  /** The key first: whoever may not come because of it must not stand in the way of others. */
  of(request: RouteRequest, now: number): readonly Door[] {
    const key = this.#keyOf(request);
    if (key === null || this.#keys === null) return this.#ofAll;
    return [{ gate: this.#keys.open(key, now), key, line: key }, ...this.#ofAll];
  }

  /** `user=7`; null where a call has none. */
  keyText(request: RouteRequest): string | null {
    const { per_key } = this.#settings;
    const value = per_key === null ? null : keyAt(per_key.key, request);
    return value === null || per_key === null ? null : keyText(per_key.key, value);
  }

  /** `leave` answers by which doors it left; up to which of them a place was kept for it, `reach` says. */
  enter(request: RouteRequest, doors: readonly Door[], { now, reach }: { now: number; reach: number }) {
    const entered = doors.map(({ gate }, at) => gate.enter(now, at <= reach));
    const inside: Inside = { request, doors };
    this.#inside.add(inside);
    const leave = (): readonly Door[] => {
      this.#inside.delete(inside);
      for (const { gate } of inside.doors) gate.leave();
      return inside.doors;
    };
    return { kept: entered.includes(true), leave };
  }

  /** A call has left by these: gates that nobody could tell from new ones are forgotten. */
  left(doors: readonly Door[], now: number): void {
    for (const { key } of doors) if (key !== null) this.#keys?.left(key, now);
  }

  /** Without a key the gate of the protocol. That of a key may be forgotten and made again; it is gone when calls have other keys. */
  source(key: string | null): LineSource {
    if (key === null) return gateSource(() => this.#gate);
    const keys = this.#keys;
    return gateSource((now) => (keys === this.#keys ? (keys?.open(key, now) ?? null) : null));
  }

  /** Every line that a call may have waited in there. */
  linesAt({ key, line }: Door): [Line, LineSource][] {
    const source = this.source(key);
    return (['concurrency', 'rate'] as const).map((kind) => [
      { kind, key: line, fair: key !== null },
      source,
    ]);
  }

  /** Whether the same key counts the same calls as before. */
  #adjustKeys({ per_key: before }: PoolSettings, now: number): boolean {
    const { per_key } = this.#settings;
    if (JSON.stringify(per_key) === JSON.stringify(before)) return true;
    if (this.#keys !== null && per_key !== null && per_key.key === before?.key) {
      this.#keys.adjust(per_key, { counting: this.#counting.keys(this.#protocol, per_key), now });
      return true;
    }
    this.#keys?.drop();
    this.#keys = this.#keyGates(this.#settings);
    return false;
  }

  /** It leaves by the gates there are now; one of another key has to hear that it is inside. */
  #move(inside: Inside, { sameKeys, now }: { sameKeys: boolean; now: number }): void {
    inside.doors = this.of(inside.request, now);
    for (const { gate, key } of inside.doors) if (key !== null && !sameKeys) gate.admit();
  }

  #doorsOfAll(): readonly Door[] {
    return [{ gate: this.#gate, key: null, line: protocolLine(this.#protocol) }];
  }

  #keyOf(request: RouteRequest): string | null {
    const text = this.keyText(request);
    return text === null ? null : `${this.#protocol} ${text}`;
  }

  /** What counts a rate that is the same counts on. */
  #counted({ limits }: PoolSettings, before: PoolSettings | null = null): Counted {
    const { tokens, places } = this.#counting;
    const name = protocolLine(this.#protocol);
    const same = before !== null && isSameRate(limits.rate, before.limits.rate);
    const counted = same ? this.#gate.tokens : limits.rate === null ? null : tokens(name, limits.rate);
    return { tokens: counted, places: (most, used) => places(name, most, used) };
  }

  #keyGates({ per_key }: PoolSettings): KeyGates | null {
    return per_key === null ? null : new KeyGates(per_key, this.#counting.keys(this.#protocol, per_key));
  }
}
