import { lineName } from '../core/parked.ts';
import { choose } from '../core/pool/select.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Line, Passage, RoomListener, Routed, RouteRequest } from '../core/ports/router.ts';
import type { Counting } from './counting.ts';
import { type Door, keptAt, lineAt } from './doors.ts';
import type { Gate } from './gate.ts';
import { HedgedPassage, type HedgeEnd } from './hedged-passage.ts';
import { Hedging } from './hedging.ts';
import { ofKey } from './line-turns.ts';
import { allowed, type EndedCall, type Member, rather } from './member.ts';
import { fetchLineKey, MemberLines } from './member-lines.ts';
import { ableOf } from './nobody.ts';
import { othersFor } from './others.ts';
import { CallPassage } from './passage.ts';
import { PoolAppetite } from './pool-appetite.ts';
import { PoolDoors } from './pool-doors.ts';
import { type LineSource, PoolLines, type PoolWaiting, type Waiter } from './pool-lines.ts';
import { giveUp, waitedAt } from './reach.ts';
import { keyAt } from './request-key.ts';
import type { PoolSettings } from './settings.ts';

export type PoolParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Chance, in [0, 1). */
  readonly draw: () => number;
  readonly counting: Counting;
  readonly ring: RoomListener;
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
  readonly reach: number;
  /** It is made because another provider has not answered yet. */
  readonly hedge?: boolean;
};

type Passing = Entering & { readonly keyText: string | null; readonly isStray: boolean };

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
    const ofEachKey = () => this.#settings.per_key?.concurrency ?? Number.POSITIVE_INFINITY;
    this.#lines = new PoolLines({ ...parts, ofEachKey });
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
    const now = this.#parts.clock.monotonic();
    const serving = rather(ableOf(allowed(this.#members, request), request), request, now);
    const doors = this.#doors.of(request, now);
    const [first] = serving;
    if (first !== undefined && !this.#parts.isHeard()) {
      const reach = request.called ? doors.length : -1;
      const member = this.#choose(serving, request, { now, soon: true }) ?? first;
      return this.#go(request, member, { doors, now, reach });
    }
    const keyText = this.#doors.keyText(request);
    const isBehind = (from: string) => this.#memberLines.isNamed(request, from, { keyText, now });
    const waited = waitedAt(request, doors, { keyText, isBehind });
    for (const { line } of doors.slice(0, Math.max(0, waited))) this.#lines.came(line);
    // What is kept further on is for those who were called there.
    const reach = request.called ? waited : Math.max(-1, waited - 1);
    const isStray = request.found === true && waited === -1 && !this.#lines.calls(request.from);
    const routed = this.#pass(request, serving, { doors, now, reach, keyText, isStray });
    if (isStray) return { ...routed, stray: true };
    if (request.found === true && routed.word === 'wait' && lineName(routed.line) !== request.from)
      this.#suspect(request, doors, now);
    return routed;
  }

  #pass(request: RouteRequest, serving: readonly Member[], passing: Passing): Routed {
    const { doors, now, reach, keyText: key, isStray } = passing;
    // One that comes out of a line of which nothing is known here is none of those who were counted.
    const found = request.found === true && !isStray;
    const kept = (count: number) => keptAt(doors.slice(0, count), now, (freed) => this.#check(freed));
    // Those who were called have waited; everybody else comes after those who wait.
    const comesFirst = (called: boolean, line: () => Line) => called || !this.#lines.gathers(line, now);
    for (const [at, door] of doors.entries()) {
      const line = () => lineAt(door, now);
      door.gate.want(now, at <= reach);
      if (door.gate.free(now, at <= reach) > 0 && comesFirst(at <= reach, line)) continue;
      // Here too: what was kept is not there any more, after a limit was lowered, say.
      const lost = doors.slice(at, reach + 1);
      if (giveUp(lost, reach === doors.length ? serving : [], now)) this.#check(lost);
      const waiter = { key, carried: kept(Math.min(at, reach + 1)), found };
      return this.#wait(line(), this.#doors.source(door.key), waiter);
    }
    const called = reach === doors.length;
    const asking = called === request.called ? request : { ...request, called };
    const line = () => this.#memberLines.lineFor(request, serving, now);
    const chosen = comesFirst(called, () => line()[0]) ? this.#chosenOf(serving, asking, now) : null;
    if (chosen !== null && chosen.room(request.method, now, called) > 0)
      return this.#go(request, chosen, { doors, now, reach });
    for (const member of chosen === null ? serving : [chosen]) member.want(now, called);
    const [waits, source] = chosen === null ? line() : this.#memberLines.fetchLineFor(chosen, now);
    return this.#wait(waits, source, { key, carried: kept(reach + 1), found });
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
    if (found || (called && !kept)) this.#suspect(request, entering.doors, entering.now);
    // What was kept for it is taken: now it is known when there will be more.
    if (called) this.#check(entering.doors);
    return { word: 'go', passage: this.#hedged(request, passage) };
  }

  #enter(request: RouteRequest, member: Member, { doors, now, reach, hedge }: Entering) {
    const { method } = request;
    const { clock, draw } = this.#parts;
    const { trial, kept } = member.enter(method, now, reach === doors.length);
    const entered = this.#doors.enter(request, doors, { now, reach });
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
    return this.#enter(again, chosen, { doors, now, reach: -1, hedge: true }).passage;
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

  /** No place was kept for it, or it waits elsewhere now: there may be others where it came from, of whom nothing is known here. */
  #suspect(request: RouteRequest, doors: readonly Door[], now: number): void {
    const { from } = request;
    const text = this.#doors.keyText(request);
    const lines = [
      ...doors.flatMap((door) => this.#doors.linesAt(door)),
      ...this.#memberLines.linesFor(request, now),
    ];
    for (const [line, source] of lines)
      if (from === undefined || lineName(ofKey(line, text)) === from) this.#lines.suspect(line, source, text);
  }
}
