import { type BreakerPolicy, defaultBreaker } from '../core/pool/breaker.ts';
import type { RateLimit } from '../core/pool/bucket.ts';
import type { HedgePolicy } from '../core/pool/hedge.ts';
import type { Policy } from '../core/pool/select.ts';

/** How many calls at once, and how many in a while. Null for as many as come. */
export type Limits = {
  readonly concurrency: number | null;
  readonly rate: RateLimit | null;
  /** How many of this process alone may be away at once: those that wait here still stand in the order of their priorities. */
  readonly window?: number | undefined;
};

/** What a pool knows of a provider besides how to call it. */
export type ProviderSettings = {
  readonly weight: number;
  readonly tier: number;
  readonly zone: string | null;
  /** Which of `params.model` it serves; null for any. */
  readonly models: readonly string[] | null;
  readonly limits: Limits;
  readonly breaker: BreakerPolicy;
  readonly health: HealthCheck | null;
};

/** Asked every so often, called or not: who does not answer in time gets no calls until it does. */
export type HealthCheck = {
  readonly every_ms: number;
  readonly timeout_ms: number;
  /** So many times in a row; as usual unless given. */
  readonly failures?: number | undefined;
  readonly method?: string | undefined;
  /** Instead of a method: a path at the host of the service, and the HTTP status of one that is well. */
  readonly get?: HealthPage | undefined;
};

export type HealthPage = { readonly path: string; readonly least: number; readonly most: number };

/** How calls of a protocol are spread, and what all of its providers get together. */
export type PoolSettings = {
  readonly select: Policy;
  /** Where the key stands that keeps calls together: `params.user` or `workflow_id`. */
  readonly sticky_by: string | null;
  readonly zone: string | null;
  /** Whether calls that may be made twice are, where the first is slow. */
  readonly hedge: HedgePolicy | null;
  readonly limits: Limits;
  readonly per_key: (Limits & { readonly key: string }) | null;
};

const unlimited: Limits = { concurrency: null, rate: null };

export const defaultProvider: ProviderSettings = {
  weight: 1,
  tier: 0,
  zone: null,
  models: null,
  limits: unlimited,
  breaker: defaultBreaker,
  health: null,
};

export const defaultPool: PoolSettings = {
  select: 'latency',
  sticky_by: null,
  zone: null,
  hedge: null,
  limits: unlimited,
  per_key: null,
};
