import { PROVIDER_CONCURRENCY, type ProtocolPool, type ProviderPool } from '../config.ts';
import type { AgentPool } from '../core/agent.ts';
import { defaultBreaker } from '../core/pool/breaker.ts';
import { parseRate, type RateLimit, rateLimit } from '../core/pool/bucket.ts';
import type { HedgePolicy } from '../core/pool/hedge.ts';
import {
  defaultPool,
  defaultProvider,
  type HealthCheck,
  type PoolSettings,
  type ProviderSettings,
} from '../router/settings.ts';

/** What is said of a provider, wherever that is written. */
type Said = AgentPool & Pick<ProviderPool, 'breaker' | 'health'>;
export type GivenSettings = { readonly [Key in keyof Said]?: Said[Key] | undefined };

/** The same in the words of the pools, which count in milliseconds. `usual`: its calls at once where nobody says. */
export function providerSettings(
  given: GivenSettings,
  usual: number | null = PROVIDER_CONCURRENCY,
): ProviderSettings {
  const { weight, tier, zone, models, limits, breaker, health } = given;
  return {
    weight: weight ?? defaultProvider.weight,
    tier: tier ?? defaultProvider.tier,
    zone: zone ?? null,
    models: models ?? null,
    limits: { concurrency: limits?.concurrency ?? usual, rate: rateOf(limits) },
    breaker: breaker === undefined ? defaultBreaker : breakerOf(breaker),
    health: health === undefined ? null : healthOf(health),
  };
}

export function poolSettings({ pool, limits }: ProtocolPool): PoolSettings {
  const per_key = limits?.per_key;
  return {
    select: pool?.select ?? defaultPool.select,
    sticky_by: pool?.sticky_by ?? null,
    zone: pool?.zone ?? null,
    hedge: pool?.hedge === undefined ? null : hedgeOf(pool.hedge),
    limits: { concurrency: limits?.concurrency ?? null, rate: rateOf(limits) },
    per_key:
      per_key === undefined
        ? null
        : { key: per_key.key, concurrency: per_key.concurrency ?? null, rate: rateOf(per_key) },
  };
}

function hedgeOf({ after, max }: NonNullable<NonNullable<ProtocolPool['pool']>['hedge']>): HedgePolicy {
  return { after: after === 'p95' ? after : after * 1000, max };
}

function healthOf({ every, timeout, failures, ...asked }: NonNullable<ProviderPool['health']>): HealthCheck {
  const often = { every_ms: every * 1000, timeout_ms: timeout * 1000, failures };
  if (asked.path === undefined) return { ...often, method: asked.method };
  const [least, most = least] = (asked.expect ?? '200-299').split('-').map(Number);
  return { ...often, get: { path: asked.path, least: least ?? 200, most: most ?? 299 } };
}

function breakerOf(given: NonNullable<ProviderPool['breaker']>): ProviderSettings['breaker'] {
  const { failures, failure_rate, window, least_calls, cool_down, most_cool_down, probes } = given;
  return {
    failures,
    failure_rate,
    window_ms: window * 1000,
    least_calls,
    cool_down_ms: cool_down * 1000,
    most_cool_down_ms:
      most_cool_down === undefined
        ? Math.max(defaultBreaker.most_cool_down_ms, cool_down * 1000)
        : most_cool_down * 1000,
    probes,
  };
}

function rateOf(limits: { readonly rate?: string; readonly burst?: number } | undefined): RateLimit | null {
  const rate = limits?.rate === undefined ? null : parseRate(limits.rate);
  return rate === null ? null : rateLimit(rate, limits?.burst);
}
