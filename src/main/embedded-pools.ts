import type { Logger } from '../core/ports/logger.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { ProviderControl } from '../embedded/provider-control.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { Engine } from '../engine/engine.ts';
import type { Protocols } from '../registry/protocols.ts';
import { Pools } from '../router/pools.ts';
import { SharedTokens } from '../router/shared-tokens.ts';
import { StoreTime } from '../router/store-time.ts';
import { Opened } from './opened.ts';
import { openPeace } from './peace.ts';
import { type ReadPools, readPools, refuseSecretKeys, type WrittenPools } from './pool-options.ts';
import { openDrains, openQuotas, sharedLimits } from './quotas.ts';
import type { OpenedStore } from './store.ts';

export type EmbeddedPoolParts = {
  readonly store: OpenedStore;
  /** No other engine can work on the store. */
  readonly exclusive: boolean;
  readonly protocols: Protocols;
  readonly logger: Logger;
  readonly engine: () => Engine;
};

export type EmbeddedPools = {
  readonly router: Pools;
  readonly control: ProviderControl;
  /** Once the engine works: those that are to be left in peace are known before they are called. */
  connect(providers: readonly Provider[]): Promise<void>;
  close(): Promise<void>;
};

/** Checks what a program says of its pools, and answers with the way to open them. */
export function preparePools(
  written: WrittenPools,
  protocols: Protocols,
): (parts: EmbeddedPoolParts) => EmbeddedPools {
  const settings = readPools(written);
  refuseSecretKeys(settings, protocols);
  return (parts) => openPools(settings, parts);
}

/** The pools of a server, for providers that are functions of a program. */
function openPools(settings: ReadPools, parts: EmbeddedPoolParts): EmbeddedPools {
  const { store, exclusive, protocols, logger, engine } = parts;
  const opened = new Opened();
  const storeTime = new StoreTime(systemClock);
  const timed = { clock: storeTime, timers: systemTimers };
  const shared = { ...timed, state: sharedLimits(store, engine), logger };
  const peace = openPeace({ logger, opened }, { store, engine });
  const pools: Pools = new Pools({
    clock: systemClock,
    timers: systemTimers,
    logger,
    announce: (happening) =>
      void engine()
        .announce(happening)
        .catch(() => {}),
    isIdempotent: (protocol, method) => protocols.get(protocol)?.methods[method]?.idempotent === true,
    tokens: (name, limit, more) => new SharedTokens(name, limit, { ...shared, more }),
    quotas: openQuotas({ ...timed, logger, opened }, { store, exclusive, engine }),
    storeTime,
    ...peace,
  });
  opened.add((deadline_ms) => pools.stop(deadline_ms));
  const drains = openDrains({ logger, opened }, { store, pools, engine });
  return {
    router: pools,
    control: {
      status: (id) => pools.status(id),
      ids: () => pools.providers().map(({ id }) => id),
      drain: (id) => drains.add(id),
      resume: (id) => drains.resume(id),
    },
    connect: async (providers) => {
      await Promise.all([drains.look(), peace.pauses.look(), peace.openings.look()]);
      for (const [name, pool] of settings.protocols) pools.configure(name, pool);
      for (const provider of providers) {
        const own = settings.providers.get(provider.id);
        pools.connect(provider, own === undefined ? {} : { settings: own });
      }
    },
    close: () => opened.close(0),
  };
}
