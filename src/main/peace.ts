import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { systemClock } from '../embedded/system.ts';
import type { Engine } from '../engine/engine.ts';
import type { Agents } from '../registry/agents.ts';
import type { Drains } from '../router/drains.ts';
import { KeptOpenings } from '../router/openings.ts';
import { SharedPauses } from '../router/pauses.ts';
import { providerIdsOf } from './agents.ts';
import type { Opened } from './opened.ts';
import { stateIn } from './quotas.ts';

/** What is kept of services that are not to be called. */
export type Peace = { readonly pauses: SharedPauses; readonly openings: KeptOpenings };

/**
 * Services that asked to be left alone are, by all engines and over restarts. Those that failed are left in peace by the next
 * life of the process too; what others write of them meanwhile is nothing to it.
 */
export function openPeace(
  { logger, opened }: { logger: Logger; opened: Opened },
  { store, engine }: { store: Store; engine: () => Pick<Engine, 'putDocument'> },
): Peace {
  const parts = { state: stateIn('providers', store.reads, engine), clock: systemClock, logger };
  const pauses = new SharedPauses(parts);
  opened.add(store.onChange((hint) => hint.documents && void pauses.look()));
  return { pauses, openings: new KeptOpenings(parts) };
}

type Known = {
  readonly store: { readonly reads: Pick<Store['reads'], 'engines'> };
  /** Nobody else can be on the store. */
  readonly exclusive: boolean;
  readonly config: {
    readonly protocols: readonly { readonly providers: readonly { readonly id: string }[] }[];
  };
  readonly agents: Pick<Agents, 'list'>;
};

/** Providers that were taken out of the configuration meanwhile; not where another engine may still have them. */
export async function forgetProviders(
  { drains, openings }: Pick<Peace, 'openings'> & { readonly drains: Drains },
  { store, exclusive, config, agents }: Known,
): Promise<void> {
  const configured = config.protocols.flatMap(({ providers }) => providers.map(({ id }) => id));
  const known = [...configured, ...providerIdsOf(agents)];
  try {
    if (!exclusive && (await store.reads.engines()).length > 1) return;
    openings.keepOnly((id) => known.includes(id));
    await drains.keepOnly(known);
  } catch {
    // The store is away: the next one who starts alone forgets them.
  }
}
