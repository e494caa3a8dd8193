import { choose } from '../core/pool/select.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import {
  type Line,
  type LineKind,
  lineKinds,
  type Passage,
  type Routed,
  type RouteRequest,
} from '../core/ports/router.ts';
import type { Counting } from './counting.ts';
import { type Door, keptAt, lineAt, protocolLine } from './doors.ts';
import { type Counted, Gate } from './gate.ts';
import { gateSource } from './gate-source.ts';
import { HedgedPassage, type HedgeEnd } from './hedged-passage.ts';
import { Hedging } from './hedging.ts';
import { KeyGates } from './key-gates.ts';
import { allowed, type HeardCall, type Member, rather } from './member.ts';
import { MemberLines } from './member-lines.ts';
import { nobodyHas, nobodyServes } from './nobody.ts';
import { othersFor } from './others.ts';
import { CallPassage } from './passage.ts';
import { PoolAppetite } from './pool-appetite.ts';
import { type LineSource, PoolLines } from './pool-lines.ts';
import { keyAt, keyText } from './request-key.ts';
import type { PoolSettings } from './settings.ts';
import type { Carried } from './waiting-line.ts';

export type PoolParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Chance, in [0, 1). */
  readonly draw: () => number;
  readonly counting: Counting;
  readonly ring: (line: Line, places: number) => Promise<number>;
  /** Whether anybody hears it when a line is called. Where nobody does, nobody may be made to wait. */
  readonly isHeard: () => boolean;
  /** Whether a call of the method may be made twice. */
  readonly isIdempotent: (method: string) => boolean;
  /** Hears how calls ended that were made twice. */
  readonly hedged: (ended: HedgeEnd) => void;
};

/** How many are known to wait for something of that kind. */
export type PoolWaiting = { readonly protocol: string; readonly kind: LineKind; readonly waiting: number };

type Entering = {
  readonly doors: readonly Door[];
  readonly now: number;
  /** It is made because another provider has not answered yet. */
  readonly hedge?: boolean;
};

/** The providers of one protocol: who of them gets a call, or what it waits for. */
export class Pool {
  readonly protocol: string;
  readonly #parts: PoolParts;
  readonly #lines: PoolLines;
  readonly #memberLines: MemberLines;
  readonly #appetite: PoolAppetite;
  readonly #hedging = new Hedging();
  readonly #turns = new Map<string, Map<string, number>>();
  #settings: PoolSettings;
  #gate: Gate;
  #ownDoors: readonly Door[];
  #keys: KeyGates | null;
  #members: readonly Member[] = [];

  constructor(protocol: string, settings: PoolSettings, parts: PoolParts) {
    this.protocol = protocol;
    this.#parts = parts;
    this.#settings = settings;
    this.#lines = new PoolLines(parts);
    this.#memberLines = new MemberLines({ protocol, members: () => this.#members });
    this.#appetite = new PoolAppetite({ pool: this, lines: this.#lines, memberLines: this.#memberLines });
    this.#gate = new Gate(settings.limits, this.#counted(settings));
    this.#ownDoors = this.#protocolDoors();
    this.#keys = this.#keyGates(settings);
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  get settings(): PoolSettings {
    return this.#settings;
  }

  get gate(): Gate {
    return this.#gate;
  }

  /** Who waits looks again: somebody may have come, or nobody may be left to wait for. */
  setMembers(members: readonly Member[]): void {
    this.#members = members;
    this.#turns.clear();
    this.#lines.checkAll();
  }

  adjust(settings: PoolSettings): void {
    const same = JSON.stringify(settings.limits.rate) === JSON.stringify(this.#settings.limits.rate);
    const sameKeys = JSON.stringify(settings.per_key) === JSON.stringify(this.#settings.per_key);
    this.#gate = this.#gate.with(settings.limits, this.#counted(settings, same));
    this.#ownDoors = this.#protocolDoors();
    if (!sameKeys) {
      this.#keys?.drop();
      this.#keys = this.#keyGates(settings);
    }
    this.#settings = settings;
    this.#lines.checkAll();
  }

  /** Something has changed that may let somebody in. */
  check(): void {
    this.#lines.checkAll();
  }

  /** Who of those with a key may come is not known before they are looked at. */
  get appetite(): PoolAppetite | null {
    return this.#keys === null && this.#parts.isHeard() ? this.#appetite : null;
  }

  waiting(): readonly PoolWaiting[] {
    const { protocol } = this;
    return lineKinds.map((kind) => ({ protocol, kind, waiting: this.#lines.waiting(kind) }));
  }

  stop(): void {
    this.#lines.stop();
  }

  route(request: RouteRequest): Routed {
    const asked = allowed(this.#members, request);
    const able = asked.filter((member) => member.connection.hasMethod(request.method));
    if (able.length === 0) throw nobodyHas(request);
    const all = able.filter((member) => member.isAble(request.method, request.params));
    if (all.length === 0) throw nobodyServes(request, able);
    const now = this.#parts.clock.monotonic();
    const serving = rather(all, request, now);
    const doors = this.#doors(request, now);
    const [first] = serving;
    if (first !== undefined && !this.#parts.isHeard())
      return this.#go(request, this.#choose(serving, request, now) ?? first, { doors, now });
    if (request.called) for (const { line } of doors) this.#lines.came(line);
    const kept = (passed: readonly Door[]) =>
      request.called ? keptAt(passed, now, (freed) => this.#check(freed)) : null;
    // Those who were called have waited; everybody else comes after those who wait.
    const comesFirst = (line: () => Line) => request.called || !this.#lines.gathers(line, now);
    for (const [at, door] of doors.entries()) {
      const line = () => lineAt(door, now);
      if (door.gate.free(now, request.called) > 0 && comesFirst(line)) continue;
      return this.#wait(line(), this.#gateSource(door.key), kept(doors.slice(0, at)));
    }
    const line = () => this.#memberLines.lineFor(request, serving, now);
    const chosen = comesFirst(() => line()[0]) ? this.#choose(serving, request, now) : null;
    if (chosen !== null) return this.#go(request, chosen, { doors, now });
    return this.#wait(...line(), kept(doors));
  }

  #choose(serving: readonly Member[], request: RouteRequest, now: number): Member | null {
    const [only] = serving;
    if (serving.length === 1 && only !== undefined)
      return only.room(request.method, now, request.called) > 0 ? only : null;
    const { select, sticky_by, zone } = this.#settings;
    const turns = this.#turns.get(request.method) ?? new Map<string, number>();
    this.#turns.set(request.method, turns);
    const chosen = choose(
      serving.map((member) => member.candidate(request, now)),
      {
        policy: select,
        zone,
        key: sticky_by === null ? null : keyAt(sticky_by, request),
        turns,
        now,
        draw: this.#parts.draw,
      },
    );
    return chosen?.member ?? null;
  }

  #go(request: RouteRequest, member: Member, entering: Entering): Routed {
    const { called, found = false } = request;
    const { passage, kept } = this.#enter(request, member, entering);
    if (found || (called && !kept)) this.#suspect(request, entering);
    // What was kept for it is taken: now it is known when there will be more.
    if (called) this.#check(entering.doors);
    return { word: 'go', passage: this.#hedged(request, passage) };
  }

  #enter(request: RouteRequest, member: Member, { doors, now, hedge }: Entering) {
    const { method, called } = request;
    const { clock, draw } = this.#parts;
    const { probe, kept } = member.enter(method, now, called);
    const entered = doors.map(({ gate }) => gate.enter(now, called));
    const heard = (call: Omit<HeardCall, 'probe'>) => {
      if (call.answered || call.slow) this.#heardOf(method, call.ms);
      member.heard(method, { ...call, probe }, { now: clock.monotonic(), draw: draw() });
    };
    const left = () => this.#left(member, doors);
    const members = () => this.#members;
    return {
      passage: new CallPassage({ member, members, request, clock, hedge, heard, left }),
      kept: kept || entered.includes(true),
    };
  }

  #heardOf(method: string, ms: number): void {
    if (this.#settings.hedge?.after === 'p95' && this.#parts.isIdempotent(method))
      this.#hedging.heard(method, ms);
  }

  /** Where the method may be called twice, a slow answer is waited for at two providers. */
  #hedged(request: RouteRequest, first: CallPassage): Passage {
    const { hedge } = this.#settings;
    if (request.only !== undefined || hedge === null || this.#members.length < 2) return first;
    if (!this.#parts.isIdempotent(request.method)) return first;
    const delay_ms = this.#hedging.begin(hedge, request.method);
    if (delay_ms === null) return first;
    return new HedgedPassage({
      first,
      timers: this.#parts.timers,
      delay_ms,
      max: hedge.max,
      another: (asked) => this.#another(request, asked),
      told: this.#parts.hedged,
    });
  }

  /** Takes nobody's place: what is kept for those who were called is not for it. */
  #another(request: RouteRequest, asked: readonly string[]): CallPassage | null {
    const now = this.#parts.clock.monotonic();
    const doors = this.#doors(request, now);
    if (doors.some(({ gate }) => gate.free(now, false) <= 0)) return null;
    const others = othersFor(this.#members, request, { asked: [...asked, ...(request.refused ?? [])], now });
    const again = { ...request, called: false, found: false };
    const chosen = this.#choose(others, again, now);
    if (chosen === null || !this.#hedging.spend()) return null;
    return this.#enter(again, chosen, { doors, now, hedge: true }).passage;
  }

  #left(member: Member, doors: readonly Door[]): void {
    member.leave();
    for (const { gate } of doors) gate.leave();
    this.#check(doors);
    for (const { key } of doors) if (key !== null) this.#keys?.left(key, this.#parts.clock.monotonic());
  }

  #check(doors: readonly Door[]): void {
    for (const { key, line } of doors) if (key !== null) this.#lines.checkKey(line);
    this.#lines.checkShared();
  }

  /** The key first: whoever may not come because of it must not stand in the way of others. */
  #doors(request: RouteRequest, now: number): readonly Door[] {
    const key = this.#keyOf(request);
    if (key === null || this.#keys === null) return this.#ownDoors;
    return [{ gate: this.#keys.open(key, now), key, line: key }, ...this.#ownDoors];
  }

  #protocolDoors(): readonly Door[] {
    return [{ gate: this.#gate, key: null, line: protocolLine(this.protocol) }];
  }

  #keyOf(request: RouteRequest): string | null {
    const { per_key } = this.#settings;
    const value = per_key === null ? null : keyAt(per_key.key, request);
    return value === null || per_key === null ? null : `${this.protocol} ${keyText(per_key.key, value)}`;
  }

  #wait(line: Line, source: LineSource, carried: Carried | null): Routed {
    this.#lines.open(line, source).wait(carried);
    return { word: 'wait', line };
  }

  /** Without a key the gate of the protocol. */
  #gateSource(key: string | null): LineSource {
    return gateSource(() => (key === null ? this.#gate : (this.#keys?.find(key) ?? null)));
  }

  /** It was called, and no place was kept for it: others may wait where it came from, of whom nothing is known here. */
  #suspect(request: RouteRequest, { doors, now }: Entering): void {
    for (const { key, line } of doors)
      for (const kind of ['concurrency', 'rate'] as const)
        this.#lines.suspect({ kind, key: line, fair: key !== null }, this.#gateSource(key));
    for (const [line, source] of this.#memberLines.linesFor(request, now)) this.#lines.suspect(line, source);
  }

  /** `same`: what counts its rate counts on. */
  #counted({ limits }: PoolSettings, same = false): Counted {
    const { tokens, places } = this.#parts.counting;
    const name = `protocol ${this.protocol}`;
    const counted = same ? this.#gate.tokens : limits.rate === null ? null : tokens(name, limits.rate);
    return { tokens: counted, places: (most, used) => places(name, most, used) };
  }

  #keyGates({ per_key }: PoolSettings): KeyGates | null {
    return per_key === null ? null : new KeyGates(per_key, this.#parts.counting.keys(this.protocol, per_key));
  }
}
