import type { Config } from '../config.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { Engine } from '../engine/engine.ts';
import { Drains, type DrainsParts } from '../router/drains.ts';
import { type ForgetSheetsParts, forgetSheets } from '../router/forget-sheets.ts';
import type { Pools } from '../router/pools.ts';
import { Quotas } from '../router/quotas.ts';
import type { SharedState, WatchedState } from '../router/shared-state.ts';
import { bucketIn } from '../router/shared-tokens.ts';
import type { Opened } from './opened.ts';

/** More sheets than this are not looked at when others have written some; whoever asks in vain asks again. */
const SHEETS = 10_000;

type Writing = () => Pick<Engine, 'putDocument'>;

/** Rate limits are counted in the store, for all engines on it. */
export function sharedLimits({ reads }: Pick<Store, 'reads'>, engine: Writing): SharedState {
  return stateIn('limits', reads, engine);
}

/** What engines share of limits; on a store that has one engine, only what has to be remembered. */
export function openQuotas(
  { logger, opened, clock, timers }: { logger: Logger; opened: Opened; clock: Clock; timers: Timers },
  { store, exclusive, engine }: { store: Store; exclusive: boolean; engine: Writing },
): Quotas {
  const { reads } = store;
  const state: WatchedState = { ...stateIn('quotas', reads, engine), versions: () => sheetsIn(reads) };
  const engines = () => reads.engines();
  const quotas = new Quotas({ state, engines, exclusive, clock, timers, logger });
  opened.add(store.onChange((hint) => hint.documents && quotas.changed()));
  return quotas;
}

/** What is kept for limits of providers and protocols that were taken out of the configuration meanwhile. */
export async function forgetQuotas({ store, exclusive, engine, pools, config }: ForgetParts): Promise<void> {
  const { reads } = store;
  const providers = pools.providers().map(({ id }) => id);
  const protocols = [...pools.protocols(), ...config.protocols.map(({ name }) => name)];
  const isAlone = async () => exclusive || (await reads.engines()).length <= 1;
  const forget = (collection: string, versions: ForgetSheetsParts['versions']) => {
    const remove = (key: string, expect: number) => engine.deleteDocument({ collection, key, expect });
    return forgetSheets({ providers, protocols }, { versions, remove, isAlone });
  };
  try {
    await forget('quotas', () => sheetsIn(reads));
    await forget('limits', () => oldBucketsIn(reads));
  } catch {
    // The store is away: the next one who starts alone forgets them.
  }
}

type ForgetParts = {
  readonly store: Store;
  readonly exclusive: boolean;
  readonly engine: Pick<Engine, 'deleteDocument'>;
  /** Everybody is connected. */
  readonly pools: Pick<Pools, 'protocols'> & { providers(): readonly { readonly id: string }[] };
  readonly config: Pick<Config, 'protocols'>;
};

/** Whoever was taken out and comes back soon finds what is left of its rate. */
const BUCKET_KEPT_MS = 30 * 24 * 3600 * 1000;

async function oldBucketsIn(reads: Store['reads']) {
  const { items } = await reads.documents('limits', { limit: SHEETS });
  const before = systemClock.wall() - BUCKET_KEPT_MS;
  return items
    .filter(({ text }) => (bucketIn(text)?.at ?? before) <= before)
    .map(({ key, version }) => ({ name: key, version }));
}

async function sheetsIn(reads: Store['reads']) {
  const { items } = await reads.documents('quotas', { limit: SHEETS });
  return items.map(({ key, version }) => ({ name: key, version }));
}

/** Who gets no calls until somebody resumes it; forgotten with the provider. */
export function openDrains(
  { logger, opened }: { logger: Logger; opened: Opened },
  { store, pools, engine }: { store: Store; pools: Pools; engine: Writing },
): Drains {
  const state = stateIn('providers', store.reads, engine);
  const apply: DrainsParts['apply'] = (ids, resumed) => pools.setDrained(ids, resumed);
  const drains = new Drains({ state, timers: systemTimers, logger, apply });
  opened.add(() => drains.stop());
  opened.add(store.onChange((hint) => hint.documents && void drains.look()));
  return drains;
}

/** Documents of a collection that engines share. */
export function stateIn(collection: string, reads: Store['reads'], engine: Writing): SharedState {
  return {
    read: (name) => reads.document(collection, name),
    write: (key, text, expect) => engine().putDocument({ collection, key, text, expect }),
  };
}
