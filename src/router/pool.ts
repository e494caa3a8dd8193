import { GleitzeitError } from '../core/errors.ts';
import { choose } from '../core/pool/select.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Line, Routed, RouteRequest } from '../core/ports/router.ts';
import { Gate } from './gate.ts';
import { KeyGates } from './key-gates.ts';
import type { MakeTokens, Member } from './member.ts';
import { MemberLines } from './member-lines.ts';
import { CallPassage } from './passage.ts';
import { type LineSource, PoolLines } from './pool-lines.ts';
import { keyAt, keyText } from './request-key.ts';
import type { PoolSettings } from './settings.ts';

export type PoolParts = {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Chance, in [0, 1). */
  readonly draw: () => number;
  readonly tokens: MakeTokens;
  readonly ring: (line: Line, places: number) => Promise<number>;
  /** Whether anybody hears it when a line is called. Where nobody does, nobody may be made to wait. */
  readonly isHeard: () => boolean;
};

/** What a call has to pass besides its provider: its gate, and the line of those who may not. */
type Door = { readonly gate: Gate; readonly key: string | null; readonly line: string };

/** The providers of one protocol: who of them gets a call, or what it waits for. */
export class Pool {
  readonly protocol: string;
  readonly #parts: PoolParts;
  readonly #lines: PoolLines;
  readonly #memberLines: MemberLines;
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
    this.#memberLines = new MemberLines({ protocol, clock: parts.clock, members: () => this.#members });
    this.#gate = new Gate(settings.limits, this.#tokens(settings));
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
    this.#gate = this.#gate.with(settings.limits, same ? this.#gate.tokens : this.#tokens(settings));
    this.#ownDoors = this.#protocolDoors();
    if (!sameKeys) this.#keys = this.#keyGates(settings);
    this.#settings = settings;
    this.#lines.checkAll();
  }

  /** Something has changed that may let somebody in. */
  check(): void {
    this.#lines.checkAll();
  }

  stop(): void {
    this.#lines.stop();
  }

  route(request: RouteRequest): Routed {
    const able = this.#members.filter((member) => member.connection.hasMethod(request.method));
    if (able.length === 0) throw nobodyHas(request);
    const now = this.#parts.clock.monotonic();
    const doors = this.#doors(request, now);
    const [first] = able;
    if (first !== undefined && !this.#parts.isHeard())
      return this.#go(request, this.#choose(able, request, now) ?? first, { doors, now });
    for (const { gate, line, key } of doors) {
      if (gate.free(now, request.called) > 0) continue;
      return this.#wait({ kind: gate.blocks(now), key: line, fair: key !== null }, this.#gateSource(key));
    }
    const serving = able.filter((member) => member.isAble(request.method, request.params));
    const chosen = this.#choose(serving, request, now);
    if (chosen !== null) return this.#go(request, chosen, { doors, now });
    return this.#wait(...this.#memberLines.lineFor(request, serving, now));
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

  #go(
    request: RouteRequest,
    member: Member,
    { doors, now }: { doors: readonly Door[]; now: number },
  ): Routed {
    const { method, called, found = false } = request;
    const { probe, kept } = member.enter(method, now, called);
    const entered = doors.map(({ gate }) => gate.enter(now, called));
    if (found || (called && !kept && !entered.includes(true))) this.#suspect(request, doors);
    // What was kept for it is taken: now it is known when there will be more.
    if (called) this.#check(doors);
    const passage = new CallPassage({
      member,
      clock: this.#parts.clock,
      heard: (call) =>
        member.heard(
          method,
          { ...call, probe },
          { now: this.#parts.clock.monotonic(), draw: this.#parts.draw() },
        ),
      left: () => this.#left(member, doors),
    });
    return { word: 'go', passage };
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
    return [{ gate: this.#gate, key: null, line: `protocol ${this.protocol}` }];
  }

  #keyOf(request: RouteRequest): string | null {
    const { per_key } = this.#settings;
    const value = per_key === null ? null : keyAt(per_key.key, request);
    return value === null || per_key === null ? null : `${this.protocol} ${keyText(per_key.key, value)}`;
  }

  #wait(line: Line, source: LineSource): Routed {
    this.#lines.open(line, source).wait();
    return { word: 'wait', line };
  }

  /** Without a key the gate of the protocol; a gate that is gone keeps nobody. */
  #gateSource(key: string | null): LineSource {
    const find = () => (key === null ? this.#gate : (this.#keys?.find(key) ?? null));
    return {
      room: (now) => find()?.free(now, false) ?? Number.POSITIVE_INFINITY,
      keep: (count, until) => {
        const keeps = find()?.keeps;
        keeps?.add(count, until);
        return (absent) => keeps?.drop(Math.min(absent, count));
      },
      nextAt: (now) => find()?.nextAt(now) ?? null,
    };
  }

  /** It was called, and no place was kept for it: others may wait where it came from, of whom nothing is known here. */
  #suspect(request: RouteRequest, doors: readonly Door[]): void {
    for (const { key, line } of doors)
      for (const kind of ['concurrency', 'rate'] as const)
        this.#lines.open({ kind, key: line, fair: key !== null }, this.#gateSource(key)).suspect();
    for (const [line, source] of this.#memberLines.linesFor(request))
      this.#lines.open(line, source).suspect();
  }

  #tokens({ limits }: PoolSettings) {
    return limits.rate === null ? null : this.#parts.tokens(`protocol ${this.protocol}`, limits.rate);
  }

  #keyGates({ per_key }: PoolSettings): KeyGates | null {
    return per_key === null ? null : new KeyGates(per_key);
  }
}

export function nobodyHas({ protocol, method }: Pick<RouteRequest, 'protocol' | 'method'>): GleitzeitError {
  return new GleitzeitError('GLZ2007', `no provider for ${protocol} ${method}`, {
    hint: `connect a provider of ${protocol} that has the method ${method}`,
  });
}
