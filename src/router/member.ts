import type { Answer } from '../core/answer.ts';
import { classOf } from '../core/errors.ts';
import { isObject, type JsonObject, own } from '../core/json.ts';
import {
  admits,
  type Breaker,
  begun,
  closedBreaker,
  ended,
  triedNow,
  type Verdict,
} from '../core/pool/breaker.ts';
import { type Latency, observed } from '../core/pool/latency.ts';
import type { Candidate } from '../core/pool/select.ts';
import type { LineKind, RouteRequest } from '../core/ports/router.ts';
import type { Connection } from './connection.ts';
import type { Counting } from './counting.ts';
import { Gate } from './gate.ts';
import type { Opening, Openings } from './openings.ts';
import type { Pauses } from './pauses.ts';
import type { ProviderSettings } from './settings.ts';
import type { Tokens } from './tokens.ts';

/** Why a provider gets no calls although it is connected. */
export type Rest = 'drained' | 'unhealthy';

/** A provider in its pool: what is known of it, and whether it may be asked. */
export class Member {
  readonly connection: Connection;
  readonly #breakers = new Map<string, Breaker>();
  readonly #rests = new Set<Rest>();
  readonly #pauses: Pauses;
  readonly #openings: Openings;
  #settings: ProviderSettings;
  #gate: Gate;
  #latency: Latency | null = null;

  constructor(connection: Connection, settings: ProviderSettings, counting: Counting) {
    this.connection = connection;
    this.#settings = settings;
    this.#pauses = counting.pauses;
    this.#openings = counting.openings;
    this.#gate = new Gate(settings.limits, {
      tokens: tokensFor(connection.id, settings, counting.tokens),
      places: placesFor(connection.id, counting),
    });
  }

  get settings(): ProviderSettings {
    return this.#settings;
  }

  get gate(): Gate {
    return this.#gate;
  }

  get breakers(): ReadonlyMap<string, Breaker> {
    return this.#breakers;
  }

  get pausedUntil(): number {
    return this.#pauses.until(this.connection.id);
  }

  /** Other settings, the same provider: what is known of it stays, and calls inside count for the new limits too. */
  adjust(settings: ProviderSettings, counting: Counting): void {
    const { rate } = this.#settings.limits;
    const same = rate?.per_ms === settings.limits.rate?.per_ms && rate?.burst === settings.limits.rate?.burst;
    const kept = same ? this.#gate.tokens : tokensFor(this.connection.id, settings, counting.tokens);
    this.#settings = settings;
    this.#gate = this.#gate.with(settings.limits, {
      tokens: kept,
      places: placesFor(this.connection.id, counting),
    });
  }

  rest(why: Rest): void {
    this.#rests.add(why);
  }

  resume(why: Rest): void {
    this.#rests.delete(why);
  }

  /** A person says that it may be asked, whatever it said itself: what is known of it counts again after the next call. */
  askAgain(now: number): void {
    this.#pauses.ended(this.connection.id);
    this.#openings.forget(this.connection.id);
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
    if (this.isAtRest || this.pausedUntil > now) return 0;
    const breaker = method === null ? undefined : this.#breakers.get(method);
    const admitted =
      breaker === undefined ? Number.POSITIVE_INFINITY : admits(breaker, this.#settings.breaker, now);
    const kept = called ? 0 : this.#gate.keeps.count(now);
    return Math.min(admitted - kept, this.#gate.free(now, called));
  }

  get isAtRest(): boolean {
    return this.#rests.size > 0;
  }

  /** The same without a method for whoever only looks, kept places included. */
  spare(now: number): number {
    return this.isAtRest || this.pausedUntil > now ? 0 : this.#gate.spare(now);
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
    return this.pausedUntil > now ? 'rate' : this.#gate.blocks(now);
  }

  /** When it may have room by the passing of time alone, or null. */
  nextAt(method: string | null, now: number): number | null {
    if (this.isAtRest) return null;
    if (this.pausedUntil > now) return this.pausedUntil;
    const breaker = method === null ? undefined : this.#breakers.get(method);
    return breaker?.state === 'open' && breaker.until > now ? breaker.until : this.#gate.nextAt(now);
  }

  candidate(
    request: { method: string; avoid: readonly string[]; called: boolean },
    now: number,
  ): MemberCandidate {
    const { weight, tier, zone } = this.#settings;
    const { id } = this.connection;
    return {
      id,
      free: this.room(request.method, now, request.called) > 0,
      avoided: request.avoid.includes(id),
      tier,
      zone,
      weight,
      in_flight: this.#gate.inside,
      latency: this.#latency,
      member: this,
    };
  }

  /** Which opening of the breaker it probes, or null; and whether a place had been kept for it. */
  enter(method: string, now: number, called: boolean): { probe: number | null; kept: boolean } {
    const kept = this.#gate.enter(now, called);
    const breaker = this.#breakers.get(method);
    if (breaker === undefined || breaker.state === 'closed') return { probe: null, kept };
    const next = begun(breaker);
    this.#breakers.set(method, next.breaker);
    return { probe: next.probe, kept };
  }

  leave(): void {
    this.#gate.leave();
  }

  heard(method: string, call: HeardCall, moment: { now: number; draw: number }): void {
    const { verdict, ms, slow, pause_ms } = call;
    if (verdict === 'well' || slow) this.#latency = observed(this.#latency, ms, moment.now);
    if (pause_ms > 0) this.#pauses.asked(this.connection.id, pause_ms);
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

/** The model a call is for, where it names one. */
export function modelOf(params: JsonObject): string | null {
  const model = isObject(params) ? own(params, 'model') : undefined;
  return typeof model === 'string' ? model : null;
}

export type MemberCandidate = Candidate & { readonly member: Member };

export type HeardCall = {
  readonly verdict: Verdict;
  readonly probe: number | null;
  readonly ms: number;
  /** It took too long, which says how slow it is even without an answer. */
  readonly slow: boolean;
  /** The service asked to be left alone for so long. */
  readonly pause_ms: number;
};

function tokensFor(id: string, { limits }: ProviderSettings, tokens: Counting['tokens']): Tokens | null {
  return limits.rate === null ? null : tokens(`provider ${id}`, limits.rate);
}

function placesFor(id: string, { places }: Counting) {
  return (most: number, used: (now: number) => number) => places(`provider ${id}`, most, used);
}

/** What an answer says of the service that gave it. */
export function judge(answer: Answer): Pick<HeardCall, 'verdict' | 'slow' | 'pause_ms'> {
  if (answer.word === 'withdrawn') return { verdict: 'nothing', slow: false, pause_ms: 0 };
  if (answer.word !== 'failed') return { verdict: 'well', slow: false, pause_ms: 0 };
  const { retry_after_ms = 0, field } = answer.error.data;
  switch (classOf(answer.error)) {
    case 'timeout':
      // The time of the whole task was up: the service may have had no more than a moment of it.
      return field === 'total_timeout'
        ? { verdict: 'nothing', slow: false, pause_ms: 0 }
        : { verdict: 'failed', slow: true, pause_ms: 0 };
    case 'transport':
    case 'server':
    case 'interrupted':
      return { verdict: 'failed', slow: false, pause_ms: retry_after_ms };
    case 'rate_limit':
      return { verdict: 'nothing', slow: false, pause_ms: retry_after_ms };
    case 'rejected':
      return { verdict: 'well', slow: false, pause_ms: 0 };
    default:
      return { verdict: 'nothing', slow: false, pause_ms: 0 };
  }
}
