import { isObject, type JsonObject, own } from '../core/json.ts';
import {
  admits,
  type Breaker,
  begun,
  closedBreaker,
  ended,
  nextProbe,
  triedNow,
} from '../core/pool/breaker.ts';
import type { Candidate } from '../core/pool/candidate.ts';
import type { Heard } from '../core/pool/verdict.ts';
import type { LineKind, RouteRequest } from '../core/ports/router.ts';
import type { Connection } from './connection.ts';
import type { Counting } from './counting.ts';
import type { Gate } from './gate.ts';
import { Lacking } from './lacking.ts';
import { MemberGate } from './member-gate.ts';
import { MemberPause, type PausedCall } from './member-pause.ts';
import { MethodTimes } from './method-times.ts';
import type { Opening, Openings } from './openings.ts';
import type { ProviderSettings } from './settings.ts';

export { judge } from '../core/pool/verdict.ts';

/** Why a provider gets no calls although it is connected. */
export type Rest = 'drained' | 'unhealthy';

/** `twin`: one whose limits it shares. */
export type MemberParts = { readonly counting: Counting; readonly twin?: Member | undefined };

/** A provider in its pool: what is known of it, and whether it may be asked. */
export class Member {
  readonly connection: Connection;
  readonly times = new MethodTimes();
  readonly lacking = new Lacking();
  readonly #breakers = new Map<string, Breaker>();
  readonly #rests = new Set<Rest>();
  readonly #pause: MemberPause;
  readonly #openings: Openings;
  readonly #gate: MemberGate;
  #settings: ProviderSettings;

  constructor(connection: Connection, settings: ProviderSettings, { counting, twin }: MemberParts) {
    this.connection = connection;
    this.#settings = settings;
    this.#pause = new MemberPause(connection.id, counting.pauses, () => this.#forgetCalled());
    this.#openings = counting.openings;
    const { limits } = settings;
    this.#gate =
      twin === undefined ? new MemberGate(connection.id, limits, counting) : twin.#gate.share(limits);
  }

  get settings(): ProviderSettings {
    return this.#settings;
  }

  get gate(): Gate {
    return this.#gate.gate;
  }

  /** It is gone, with its last call. */
  dropGate(): void {
    this.#gate.drop();
  }

  get breakers(): ReadonlyMap<string, Breaker> {
    return this.#breakers;
  }

  get pausedUntil(): number {
    return this.#pause.until;
  }

  /** Other settings, the same provider: what is known of it stays, and calls inside count for the new limits too. */
  adjust(settings: ProviderSettings): void {
    this.lacking.forget();
    this.#settings = settings;
    this.#gate.limit(settings.limits);
  }

  rest(why: Rest): void {
    this.#rests.add(why);
  }

  resume(why: Rest): void {
    this.#rests.delete(why);
  }

  /** A person says that it may be asked, whatever it said itself: what is known of it counts again after the next call. */
  askAgain(now: number): void {
    this.#pause.end(now);
    this.#openings.forget(this.connection.id);
    this.lacking.forget();
    for (const [method, breaker] of this.#breakers) this.#breakers.set(method, triedNow(breaker, now));
  }

  /** It was left in peace when the process ended: for what remains of that, and at most for as long as its settings say. */
  reopen(openings: ReadonlyMap<string, Opening>, now: number): void {
    const latest = now + this.#settings.breaker.most_cool_down_ms;
    for (const [method, { until, opened }] of openings)
      this.#breakers.set(method, { state: 'open', until: Math.min(until, latest), opened });
  }

  isResting(why: Rest): boolean {
    return this.#rests.has(why);
  }

  /** Whether it has the method, and the model where the call names one. */
  isAble(method: string, params: JsonObject): boolean {
    if (!this.connection.hasMethod(method)) return false;
    const { models } = this.#settings;
    const model = models === null ? null : modelOf(params);
    return models === null || model === null || models.includes(model);
  }

  /** How many calls may begin now; without a method, whatever its breakers say. */
  room(method: string | null, now: number, called: boolean): number {
    const admitted = this.#admits(method, now, called);
    return admitted <= 0 ? 0 : Math.min(admitted, this.gate.free(now, called));
  }

  /** The same with what is only to be fetched: a call would wait for it for a moment. */
  soon(method: string | null, now: number, called: boolean): number {
    const admitted = this.#admits(method, now, called);
    return admitted <= 0 ? 0 : Math.min(admitted, this.gate.soon(now, called));
  }

  #admits(method: string | null, now: number, called: boolean): number {
    if (this.isAtRest) return 0;
    const breaker = method === null ? undefined : this.#breakers.get(method);
    const probes =
      breaker === undefined ? Number.POSITIVE_INFINITY : admits(breaker, this.#settings.breaker, now);
    return Math.min(probes, this.#pause.lets(now)) - (called ? 0 : this.gate.keeps.count(now));
  }

  /** A call is to go to it: what it needs for that is fetched. */
  want(now: number, called = false): void {
    if (!this.isAtRest && this.pausedUntil <= now) this.gate.want(now, called);
  }

  get isAtRest(): boolean {
    return this.#rests.size > 0;
  }

  /** The same without a method for whoever only looks, kept places included. */
  spare(now: number): number {
    return this.isAtRest ? 0 : Math.min(this.#pause.lets(now), this.gate.spare(now));
  }

  /** What keeps calls from it now. */
  blocks(method: string, now: number): LineKind {
    if (this.isAtRest) return this.sharedKind(now);
    const breaker = this.#breakers.get(method);
    if (breaker !== undefined && admits(breaker, this.#settings.breaker, now) === 0) return 'breaker';
    return this.sharedKind(now);
  }

  /** The same whatever its breakers say. */
  sharedKind(now: number): LineKind {
    if (this.isAtRest) return this.#rests.has('drained') ? 'drained' : 'unhealthy';
    return this.#pause.lets(now) <= this.gate.keeps.count(now) ? 'rate' : this.gate.blocks(now);
  }

  /** When it may have room by the passing of time alone, or null. */
  nextAt(method: string | null, now: number): number | null {
    if (this.isAtRest) return null;
    if (this.pausedUntil > now) return this.pausedUntil;
    const breaker = method === null ? undefined : this.#breakers.get(method);
    const probe = breaker === undefined ? null : nextProbe(breaker, this.#settings.breaker);
    return probe !== null && probe > now ? probe : (this.widensAt(now) ?? this.gate.nextAt(now));
  }

  /** It has been left alone, and gets its calls again by and by: when one more than now, or null. */
  widensAt(now: number): number | null {
    return this.pausedUntil > now ? null : this.#pause.nextAt(now);
  }

  /** `ahead`: so many wait already for what is only to be fetched; null where nobody is to wait for that. */
  candidate(
    request: { method: string; avoid: readonly string[]; called: boolean },
    { now, ahead }: { now: number; ahead: (id: string) => number | null },
  ): MemberCandidate {
    const { weight, tier, zone } = this.#settings;
    const { id } = this.connection;
    const { method, called } = request;
    return {
      id,
      free: this.room(method, now, called) > 0 || this.soon(method, now, called) > (ahead(id) ?? Infinity),
      kept: called && this.gate.keeps.count(now) > 0,
      avoided: request.avoid.includes(id),
      tier,
      zone,
      weight,
      in_flight: this.gate.inside,
      latency: this.times.of(request.method),
      overall: this.times.overall,
      failing: this.times.failing(request.method),
      tried: this.times.tried(request.method),
      under_way: this.times.underWay(request.method),
      member: this,
    };
  }

  /** What `heard` wants to hear again of a call that begins; and whether a place had been kept for it. */
  enter(method: string, now: number, called: boolean): { trial: Trial; kept: boolean } {
    const kept = this.gate.enter(now, called);
    const after = this.#pause.enter(now);
    this.times.begun(method);
    const breaker = this.#breakers.get(method);
    if (breaker === undefined || breaker.state === 'closed') return { trial: { probe: null, after }, kept };
    const next = begun(breaker, now);
    this.#breakers.set(method, next.breaker);
    return { trial: { probe: next.probe, after }, kept };
  }

  leave(): void {
    this.gate.leave();
  }

  /** Whoever was called for it comes in vain, and goes back into line: a place that is kept would keep out the next. */
  #forgetCalled(): void {
    this.gate.keeps.drop(Number.POSITIVE_INFINITY);
  }

  heard(method: string, call: HeardCall, moment: { now: number; draw: number }): void {
    const { verdict, ms, answered, slow, lacks } = call;
    this.times.over(method);
    if (answered || slow) this.times.heard(method, { ms, answered }, moment.now);
    if (verdict !== 'nothing') this.times.ended(method, verdict === 'failed', moment.now);
    if (answered) this.lacking.done(method);
    else if (lacks) this.lacking.said(method, moment.now);
    this.#pause.heard(call, moment.now);
    const before = this.#breakers.get(method);
    // Who never failed needs no breaker: it would count what nobody asks for.
    if (before === undefined && verdict !== 'failed') return;
    const policy = this.#settings.breaker;
    const after = ended(before ?? closedBreaker(moment.now), call, { policy, ...moment });
    this.#breakers.set(method, after);
    if (before?.state !== after.state) this.#keep(method, after);
  }

  /** What is said of one that goes is nothing for the next of that name; nor what becomes of its calls when the process stops. */
  #keep(method: string, breaker: Breaker): void {
    const { id, isDraining } = this.connection;
    if (isDraining) return;
    if (breaker.state === 'open') this.#openings.opened(id, method, breaker);
    if (breaker.state === 'closed') this.#openings.closed(id, method);
  }
}

/** Who may be asked at all: a call may be for one of them alone. */
export function allowed(members: readonly Member[], { only }: Pick<RouteRequest, 'only'>): readonly Member[] {
  return only === undefined ? members : members.filter(({ connection }) => connection.id === only);
}

/**
 * Without those that have sent the task elsewhere or do not have the method after all, as long as there are others. Where nobody else is
 * left, they are asked, and say so.
 */
export function rather(
  members: readonly Member[],
  { method, refused = nobody }: Pick<RouteRequest, 'method' | 'refused'>,
  now: number,
): readonly Member[] {
  if (members.length < 2) return members;
  const would = ({ connection, lacking }: Member) =>
    !lacking.has(method, now) && !refused.includes(connection.id);
  if (members.every(would)) return members;
  const others = members.filter(would);
  return others.length === 0 ? members : others;
}

const nobody: readonly string[] = [];

/** The model a call is for, where it names one. */
export function modelOf(params: JsonObject): string | null {
  const model = isObject(params) ? own(params, 'model') : undefined;
  return typeof model === 'string' ? model : null;
}

export type MemberCandidate = Candidate & { readonly member: Member };

/** Which opening of the breaker the call probes, and after which pause it is one of the first; null for none. */
export type Trial = { readonly probe: number | null } & Pick<PausedCall, 'after'>;

export type EndedCall = Heard & { readonly ms: number };
export type HeardCall = EndedCall & Trial;
