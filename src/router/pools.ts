import type { Happening } from '../core/events.ts';
import { type Appetite, insatiable } from '../core/pool/appetite.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { AbandonedCall, Provider } from '../core/ports/provider.ts';
import type { Line, RoomListener, Routed, RouteRequest, Router } from '../core/ports/router.ts';
import { type DisconnectOptions, type Draining, drain, giveBack } from './closing.ts';
import { type CallObserver, Connection } from './connection.ts';
import { type Counting, type CountingParts, countingOf } from './counting.ts';
import { HealthWatches } from './health.ts';
import type { HedgeEnd } from './hedged-passage.ts';
import { Member } from './member.ts';
import { nobodyHas } from './nobody.ts';
import { Pool } from './pool.ts';
import type { PoolWaiting } from './pool-lines.ts';
import { type ProbeQuestion, type ProbeResult, probe } from './probe.ts';
import { RoomListeners } from './room-listeners.ts';
import { defaultPool, defaultProvider, type PoolSettings, type ProviderSettings } from './settings.ts';
import { type ProviderStatus, statusOf } from './status.ts';

export type PoolParts = CountingParts & {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Hears of providers that come and go, so that everybody can be told. */
  readonly announce?: ((happening: Happening) => void) | undefined;
  /** Hears how each call ended and how long it took. */
  readonly observe?: CallObserver | undefined;
  /** Whether a method of a protocol may be called twice; none may unless given. */
  readonly isIdempotent?: ((protocol: string, method: string) => boolean) | undefined;
  /** Hears how calls ended that were made twice because the first provider was slow. */
  readonly hedged?: ((protocol: string, ended: HedgeEnd) => void) | undefined;
  /** Chance, in [0, 1). */
  readonly draw?: (() => number) | undefined;
};

const LONGEST_TEST_MS = 60_000;

export type ConnectOptions = Pick<DisconnectOptions, 'drain_ms'> & {
  readonly settings?: ProviderSettings;
  /** The id of another one that is the same service: they have their limits together. */
  readonly twin?: string;
};

/** A router whose providers come and go while work goes on. */
export class Pools implements Router {
  readonly #parts: PoolParts;
  readonly #connected = new Map<string, Member>();
  readonly #watches: HealthWatches;
  readonly #draining = new Map<Member, Draining>();
  readonly #listeners = new Set<() => void>();
  readonly #room = new RoomListeners();
  readonly #pools = new Map<string, Pool>();
  readonly #counting: Counting;
  #drained: ReadonlySet<string> = new Set();
  #protocols: readonly string[] = [];

  constructor(parts: PoolParts) {
    this.#parts = parts;
    const checkAll = () => this.#checkAll();
    this.#counting = countingOf(parts, checkAll);
    const { draw = Math.random } = parts;
    const { openings } = this.#counting;
    this.#watches = new HealthWatches({ ...parts, draw, openings, recovered: checkAll });
  }

  /** The engine is known to the store by this name: what engines share is asked for in it. */
  joined(owner: string): void {
    this.#parts.quotas?.joined(owner);
  }

  committed(now: number): void {
    this.#counting.committed(now);
  }

  async leaving(): Promise<void> {
    const gated = [...this.#connected.values(), ...this.#draining.keys(), ...this.#pools.values()];
    await Promise.all([giveBack(gated), this.#parts.quotas?.leave()]);
  }

  protocols(): readonly string[] {
    return this.#protocols;
  }

  appetite(protocol: string): Appetite {
    const appetite = this.#pools.get(protocol)?.appetite;
    return appetite?.at(this.#parts.clock.monotonic()) ?? insatiable;
  }

  heldBackBy(protocol: string): Line | null {
    return this.#pools.get(protocol)?.appetite?.heldBackBy(this.#parts.clock.monotonic()) ?? null;
  }

  opensIn(protocol: string, line: Pick<Line, 'kind' | 'key'>): number | null {
    return this.#pools.get(protocol)?.opensIn(line) ?? null;
  }

  route(request: RouteRequest): Routed {
    const pool = this.#pools.get(request.protocol);
    if (pool === undefined) throw nobodyHas(request);
    return pool.route(request);
  }

  /** One with the same id is replaced: new calls go to this one, the other finishes those it has. */
  connect(
    provider: Provider,
    { settings = defaultProvider, twin = '', ...options }: ConnectOptions = {},
  ): void {
    const before = this.#connected.get(provider.id);
    const parts = { counting: this.#counting, twin: this.#connected.get(twin) };
    const member = new Member(new Connection(provider, this.#parts), settings, parts);
    this.#connected.set(provider.id, member);
    this.#restIfDrained(member);
    const { openings } = this.#counting;
    if (before === undefined) member.reopen(openings.of(provider.id), this.#parts.clock.monotonic());
    else {
      // It may be another service altogether.
      this.#forget(provider.id);
      void this.#retire(before, { ...options, reason: 'replaced' });
    }
    this.#watches.begin(member);
    this.#changed();
    const { id, protocol } = provider;
    this.#parts.announce?.({ event: 'provider:connected', data: { provider: id, protocol } });
  }

  /** Other settings for a provider that stays as it is, with what is known of it and the calls it has. */
  adjust(id: string, settings: ProviderSettings): void {
    const member = this.#connected.get(id);
    if (member === undefined) return;
    const same = JSON.stringify(member.settings.health) === JSON.stringify(settings.health);
    member.adjust(settings);
    if (!same) this.#watches.beginAnew(member);
    this.#changed();
  }

  /** How calls of a protocol are spread and limited, whoever serves it. */
  configure(protocol: string, settings: PoolSettings): void {
    this.#poolOf(protocol).adjust(settings);
    this.#changed();
  }

  /** New calls avoid it at once. Resolves when its calls have ended, or `drain_ms` have passed, and it is closed. */
  async disconnect(id: string, options: DisconnectOptions = {}): Promise<void> {
    const member = this.#connected.get(id);
    if (member === undefined) return;
    this.#connected.delete(id);
    this.#forget(id);
    const retired = this.#retire(member, options);
    this.#changed();
    await retired;
  }

  /** Calls of these protocols are going to come. Where several providers could take them, nobody knows which will. */
  warm(protocols: readonly string[]): void {
    for (const protocol of new Set(protocols)) {
      const [one, another] = this.#pools.get(protocol)?.members ?? [];
      if (another === undefined) one?.connection.warm();
    }
  }

  abandon(provider: string, left: AbandonedCall): void {
    this.#connected.get(provider)?.connection.abandon(left);
  }

  /** It gets no more calls, here and until it is resumed; those it has go on. False where there is no such provider. */
  drain(id: string): boolean {
    if (this.#connected.has(id)) this.setDrained(new Set(this.#drained).add(id));
    return this.#connected.has(id);
  }

  /** Also where it was not drained, but has asked to be left alone or is left in peace. */
  resume(id: string): boolean {
    if (this.#connected.has(id))
      this.setDrained(new Set([...this.#drained].filter((other) => other !== id)), new Set([id]));
    return this.#connected.has(id);
  }

  /** These get no calls, connected or not, and all others do. `resumed`: somebody has just said so of them. */
  setDrained(ids: ReadonlySet<string>, resumed: ReadonlySet<string> = new Set()): void {
    this.#drained = ids;
    const now = this.#parts.clock.monotonic();
    for (const member of this.#connected.values()) {
      this.#restIfDrained(member);
      if (resumed.has(member.connection.id)) member.askAgain(now);
    }
    this.#checkAll();
  }

  #restIfDrained(member: Member): void {
    if (this.#drained.has(member.connection.id)) member.rest('drained');
    else member.resume('drained');
  }

  /** Asks it something now; null where there is no such provider. */
  async test(id: string, question: ProbeQuestion = {}): Promise<ProbeResult | null> {
    const member = this.#connected.get(id);
    if (member === undefined) return null;
    member.lacking.forget();
    const { health } = member.settings;
    // Somebody waits for it: not as long as a health check may.
    const usual =
      health === null ? {} : { ...health, timeout_ms: Math.min(health.timeout_ms, LONGEST_TEST_MS) };
    const ends = member.connection.closing;
    return probe(member.connection, { ...usual, ...question }, { ...this.#parts, ends });
  }

  /** Those that are connected, and after them those that still finish their calls. */
  providers(): ProviderStatus[] {
    const members = [...this.#connected.values(), ...this.#draining.keys()];
    const { clock } = this.#parts;
    return members.map((member) => statusOf(member, { clock, health: this.#watches.of(member) }));
  }

  status(id: string): ProviderStatus | null {
    return this.providers().find((status) => status.id === id) ?? null;
  }

  /** How many wait in which protocol for what, as far as this process knows. */
  waiting(): readonly PoolWaiting[] {
    return [...this.#pools.values()].flatMap((pool) => pool.waiting());
  }

  /** Calls after each change of what can be routed; returns the way to stop it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls when so many of those who wait in a line may come; returns the way to stop it. */
  onRoom(listener: RoomListener): () => void {
    return this.#room.add(listener);
  }

  /** Closes them all, once their calls have ended or the deadline has come. Nobody is told: it is we who go. */
  async stop(deadline_ms = 0): Promise<void> {
    for (const member of this.#connected.values()) this.#drain(member);
    this.#connected.clear();
    this.#changed();
    for (const pool of this.#pools.values()) pool.stop();
    this.#parts.quotas?.stop();
    for (const draining of this.#draining.values()) draining.limit(deadline_ms);
    await Promise.all([...this.#draining.values()].map(({ over }) => over));
  }

  /** With every change at once: a call is routed by the one state or by the other, never by something between. */
  #changed(): void {
    const members = Map.groupBy(this.#connected.values(), ({ connection }) => connection.protocol);
    this.#protocols = [...members.keys()];
    for (const protocol of this.#protocols) this.#poolOf(protocol);
    for (const [protocol, pool] of this.#pools) pool.setMembers(members.get(protocol) ?? []);
    for (const listener of this.#listeners) listener();
  }

  /** Each time another one is the first, so that none takes all that its providers share with those of others. */
  #checkAll(): void {
    const [first] = this.#pools;
    for (const pool of [...this.#pools.values()]) pool.check();
    if (first !== undefined && this.#pools.delete(first[0])) this.#pools.set(...first);
  }

  #poolOf(protocol: string): Pool {
    const found = this.#pools.get(protocol);
    if (found !== undefined) return found;
    const { clock, timers, draw = Math.random } = this.#parts;
    const ring: RoomListener = (line, places, astray) =>
      this.#room.ring({ ...line, lane: protocol }, places, astray);
    const isHeard = () => !this.#room.isEmpty;
    const isIdempotent = (method: string) => this.#parts.isIdempotent?.(protocol, method) ?? false;
    const hedged = (ended: HedgeEnd) => this.#parts.hedged?.(protocol, ended);
    const parts = { clock, timers, draw, counting: this.#counting, ring, isHeard, isIdempotent, hedged };
    const pool = new Pool(protocol, defaultPool, parts);
    this.#pools.set(protocol, pool);
    return pool;
  }

  #forget(id: string): void {
    this.#counting.pauses.ended(id);
    this.#counting.openings.forget(id);
  }

  #retire(member: Member, { drain_ms, reason = null }: DisconnectOptions): Promise<void> {
    const { id: provider, protocol } = member.connection;
    this.#parts.announce?.({ event: 'provider:disconnected', data: { provider, protocol, reason } });
    const { over, limit } = this.#drain(member);
    if (drain_ms !== undefined) limit(drain_ms);
    return over;
  }

  #drain(member: Member): Draining {
    this.#watches.end(member);
    const draining = drain(member, this.#parts, () => this.#draining.delete(member));
    this.#draining.set(member, draining);
    return draining;
  }
}
