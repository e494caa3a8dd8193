import { type Breaker, nextProbe } from '../core/pool/breaker.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { ConnectionStatus } from './connection.ts';
import type { HealthStatus } from './health.ts';
import type { Member } from './member.ts';

/** How a provider does, and what keeps calls from it. Times are wall time in milliseconds. */
export type ProviderStatus = Omit<ConnectionStatus, 'state'> & {
  readonly state: ProviderState;
  readonly weight: number;
  readonly tier: number;
  readonly zone: string | null;
  readonly models: readonly string[] | null;
  /** Of the methods that have failed since it was connected, or were open when the process began. */
  readonly breakers: readonly BreakerStatus[];
  /** Null where it is not asked how it is. */
  readonly health: HealthStatus | null;
  /** When it is tried whether it is well again: by the next question, or the next call of a method that is not closed or takes calls again by and by. Null where it is well. */
  readonly next_probe: number | null;
  /** Methods that the service said it does not have, for as long as that is believed. */
  readonly lacks: readonly string[];
  /** The service asked to be left alone until then. */
  readonly paused_until: number | null;
  readonly concurrency: { readonly most: number; readonly left: number } | null;
  readonly rate: { readonly per_second: number; readonly burst: number; readonly left: number } | null;
};

/** `draining`: taken out for good; `drained`: taken out until it is resumed; `unhealthy`: does not answer when asked. */
export type ProviderState = 'connected' | 'unhealthy' | 'drained' | 'draining';

export type BreakerStatus = {
  readonly method: string;
  readonly state: Breaker['state'];
  readonly next_probe: number | null;
};

type StatusParts = { readonly clock: Clock; readonly health: HealthStatus | null };

export function statusOf(member: Member, { clock, health: asked }: StatusParts): ProviderStatus {
  const { connection, settings, gate } = member;
  const now = clock.monotonic();
  const wallOf = (time: number) => Math.round(clock.wall() + time - now);
  // Nobody may call it before, and one that is drained not before somebody says so.
  const notBefore = Math.max(now, member.pausedUntil);
  const triedAt = (time: number | null) =>
    time === null || member.isResting('drained') ? null : wallOf(Math.max(notBefore, time));
  const breakers = [...member.breakers].map(([method, breaker]) => {
    const next_probe = triedAt(nextProbe(breaker, settings.breaker));
    return { method, state: breaker.state, next_probe };
  });
  const tries = [...breakers.map(({ next_probe }) => next_probe), triedAt(member.widensAt(now))];
  const health = asked && { ...asked, next_probe: wallOf(Math.max(now, asked.next_probe)) };
  const status = connection.status();
  return {
    ...status,
    state: status.state === 'draining' ? 'draining' : stateOf(member),
    weight: settings.weight,
    tier: settings.tier,
    zone: settings.zone,
    models: settings.models,
    breakers,
    health,
    // No call tries one that does not answer: first a question has to.
    next_probe: (member.isResting('unhealthy') ? health?.next_probe : undefined) ?? earliest(tries),
    lacks: member.lacking.methods(now),
    paused_until: member.pausedUntil > now ? wallOf(member.pausedUntil) : null,
    concurrency: gate.concurrency === null ? null : { most: gate.concurrency, left: gate.left(now) },
    rate:
      gate.tokens === null
        ? null
        : {
            per_second: gate.tokens.limit.per_ms * 1000,
            burst: gate.tokens.limit.burst,
            left: gate.tokens.left(now),
          },
  };
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function stateOf(member: Member): ProviderState {
  if (member.isResting('drained')) return 'drained';
  return member.isResting('unhealthy') ? 'unhealthy' : 'connected';
}
