import { choose } from '../core/pool/select.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import {
  isLeftInPeace,
  type Line,
  type Passage,
  type Routed,
  type RouteRequest,
} from '../core/ports/router.ts';
import type { Counting } from './counting.ts';
import { type Door, keptAt, lineAt } from './doors.ts';
import type { Gate } from './gate.ts';
import { HedgedPassage, type HedgeEnd } from './hedged-passage.ts';
import { Hedging } from './hedging.ts';
import { allowed, type EndedCall, type Member, rather } from './member.ts';
import { fetchLineKey, MemberLines } from './member-lines.ts';
import { nobodyHas, nobodyServes } from './nobody.ts';
import { othersFor } from './others.ts';
import { CallPassage } from './passage.ts';
import { PoolAppetite } from './pool-appetite.ts';
import { PoolDoors } from './pool-doors.ts';
import { type LineSource, PoolLines, type PoolWaiting, type Waiter } from './pool-lines.ts';
import { keyAt } from './request-key.ts';
import type { PoolSettings } from './settings.ts';

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

type Entering = {
  readonly doors: readonly Door[];
  readonly now: number;
  /** It is made because another provider has not answered yet. */
  readonly hedge?: boolean;
};

type Choice = { readonly now: number; readonly soon: boolean };

/** The providers of one protocol: who of them gets a call, or what it waits for. */
export class Pool {
  readonly protocol: string;
  readonly #parts: PoolParts;
  readonly #doors: PoolDoors;
  readonly #lines: PoolLines;
  readonly #memberLines: MemberLines;
  readonly #appetite: PoolAppetite;
  readonly #hedging = new Hedging();
  readonly #turns = new Map<string, Map<string, number>>();
  #settings: PoolSettings;
  #members: readonly Member[] = [];

  constructor(protocol: string, settings: PoolSettings, parts: PoolParts) {
    this.protocol = protocol;
    this.#parts = parts;
    this.#settings = settings;
    this.#doors = new PoolDoors({ protocol, settings, counting: parts.counting });
    this.#lines = new PoolLines(parts);
    this.#memberLines = new MemberLines({ protocol, members: () => this.#members });
    this.#appetite = new PoolAppetite({ pool: this, lines: this.#lines, memberLines: this.#memberLines });
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  get settings(): PoolSettings {
    return this.#settings;
  }

  get gate(): Gate {
    return this.#doors.gate;
  }

  /** Who waits looks again: somebody may have come, or nobody may be left to wait for. */
  setMembers(members: readonly Member[]): void {
    this.#members = members;
    this.#turns.clear();
    this.#lines.checkAll();
  }

  adjust(settings: PoolSettings): void {
    this.#doors.adjust(settings, this.#parts.clock.monotonic());
    this.#settings = settings;
    this.#lines.checkAll();
  }

  /** Something has changed that may let somebody in. */
  check(): void {
    this.#lines.checkAll();
  }

  /** Who of those with a key may come is not known before they are looked at. */
  get appetite(): PoolAppetite | null {
    return !this.#doors.hasKeys && this.#parts.isHeard() ? this.#appetite : null;
  }

  opensIn(line: Pick<Line, 'kind' | 'key'>): number | null {
    const now = this.#parts.clock.monotonic();
    const due = this.#lines.dueAt(line, now);
    return due === null ? null : due - now;
  }

  waiting(): readonly PoolWaiting[] {
    return this.#lines.waitingIn(this.protocol);
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
    const doors = this.#doors.of(request, now);
    const [first] = serving;
    if (first !== undefined && !this.#parts.isHeard())
      return this.#go(request, this.#choose(serving, request, { now, soon: true }) ?? first, { doors, now });
    if (request.called) for (const { line } of doors) this.#lines.came(line);
    const kept = (passed: readonly Door[]) =>
      request.called ? keptAt(passed, now, (freed) => this.#check(freed)) : null;
    // Those who were called have waited; everybody else comes after those who wait.
    const comesFirst = (line: () => Line) => request.called || !this.#lines.gathers(line, now);
    const { found = false } = request;
    const key = this.#doors.keyText(request);
    for (const [at, door] of doors.entries()) {
      const line = () => lineAt(door, now);
      door.gate.want(now, request.called);
      if (door.gate.free(now, request.called) > 0 && comesFirst(line)) continue;
      return this.#wait(line(), this.#doors.source(door.key), {
        key,
        carried: kept(doors.slice(0, at)),
        found,
      });
    }
    const line = () => this.#memberLines.lineFor(request, serving, now);
    const chosen = comesFirst(() => line()[0]) ? this.#chosenOf(serving, request, now) : null;
    if (chosen !== null && chosen.room(request.method, now, request.called) > 0)
      return this.#go(request, chosen, { doors, now });
    for (const member of chosen === null ? serving : [chosen]) member.want(now, request.called);
    const [waits, source] = chosen === null ? line() : this.#memberLines.fetchLineFor(chosen, now);
    // Another life or version may have had another reason: where it came from there may be more.
    if (request.found && isLeftInPeace(waits.kind)) this.#suspect(request, { doors: [], now });
    return this.#wait(waits, source, { key, carried: kept(doors), found });
  }

  /** Whoever was called has waited: while somebody has room for it, it does not wait for what is only to be fetched. */
  #chosenOf(serving: readonly Member[], request: RouteRequest, now: number): Member | null {
    const ready = request.called ? this.#choose(serving, request, { now, soon: false }) : null;
    return ready ?? this.#choose(serving, request, { now, soon: true });
  }

  /** `soon`: also one for whom it would have to wait until something is fetched, rather than go to one who comes after it. */
  #choose(serving: readonly Member[], request: RouteRequest, { now, soon }: Choice): Member | null {
    const [only] = serving;
    if (serving.length === 1 && only !== undefined)
      return only.room(request.method, now, request.called) > 0 ? only : null;
    const ahead = (id: string) => (soon ? this.#lines.waitingFor(fetchLineKey(id)) : null);
    const candidates = serving.map((member) => member.candidate(request, { now, ahead }));
    const { select, sticky_by, zone } = this.#settings;
    const turns = this.#turns.get(request.method) ?? new Map<string, number>();
    this.#turns.set(request.method, turns);
    const chosen = choose(candidates, {
      policy: select,
      zone,
      key: sticky_by === null ? null : keyAt(sticky_by, request),
      turns,
      now,
      draw: this.#parts.draw,
    });
    if (chosen === null) return null;
    // They would have been asked rather: others hear that they could do more.
    for (const { free, tier, member } of candidates)
      if (!free && tier <= chosen.tier) member.want(now, request.called);
    return chosen.member;
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
    const { trial, kept } = member.enter(method, now, called);
    const entered = this.#doors.enter(request, doors, now);
    const heard = (call: EndedCall) => {
      if (call.answered || call.slow) this.#heardOf(method, call.ms);
      member.heard(method, { ...call, ...trial }, { now: clock.monotonic(), draw: draw() });
    };
    const left = () => this.#left(member, entered.leave);
    const members = () => this.#members;
    return {
      passage: new CallPassage({ member, members, request, clock, hedge, heard, left }),
      kept: kept || entered.kept,
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
    if (!this.#hedging.mayMore) return null;
    const now = this.#parts.clock.monotonic();
    const doors = this.#doors.of(request, now);
    for (const { gate } of doors) gate.want(now);
    if (doors.some(({ gate }) => gate.free(now, false) <= 0)) return null;
    const others = othersFor(this.#members, request, { asked: [...asked, ...(request.refused ?? [])], now });
    const again = { ...request, called: false, found: false };
    const chosen = this.#choose(others, again, { now, soon: false });
    if (chosen === null) {
      for (const member of others) member.want(now);
      return null;
    }
    this.#hedging.spend();
    return this.#enter(again, chosen, { doors, now, hedge: true }).passage;
  }

  #left(member: Member, leave: () => readonly Door[]): void {
    member.leave();
    const doors = leave();
    this.#check(doors);
    this.#doors.left(doors, this.#parts.clock.monotonic());
  }

  #check(doors: readonly Door[]): void {
    for (const { key, line } of doors) if (key !== null) this.#lines.checkKey(line);
    this.#lines.checkShared();
  }

  #wait(line: Line, source: LineSource, waiter: Waiter): Routed {
    return { word: 'wait', line: this.#lines.wait(line, source, waiter) };
  }

  /** It was called, and no place was kept for it: others may wait where it came from, of whom nothing is known here. */
  #suspect(request: RouteRequest, { doors, now }: Entering): void {
    const text = this.#doors.keyText(request);
    for (const { key, line } of doors)
      for (const kind of ['concurrency', 'rate'] as const)
        this.#lines.suspect({ kind, key: line, fair: key !== null }, this.#doors.source(key), text);
    for (const [line, source] of this.#memberLines.linesFor(request, now))
      this.#lines.suspect(line, source, text);
  }
}
