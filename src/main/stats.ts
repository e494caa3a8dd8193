import { randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { type Cost, costOf, type Price } from '../core/stats/cost.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { Engine } from '../engine/engine.ts';
import { CallStats, type StatsDocuments } from '../router/call-stats.ts';
import type { CallEnd } from '../router/connection.ts';

const COLLECTION = 'stats';

export type StatsParts = {
  readonly name: string;
  readonly logger: Logger;
  readonly reads: Pick<Store['reads'], 'documents'>;
  readonly engine: () => Pick<Engine, 'putDocument' | 'deleteDocument'>;
};

/** One for each process: what it counts is its own. */
export function newName(): string {
  return randomUUID();
}

/** Counts calls in documents of the store. */
export function openStats({ name, logger, reads, engine }: StatsParts): CallStats {
  const documents: StatsDocuments = {
    list: (page) => reads.documents(COLLECTION, page),
    put: (key, text) => engine().putDocument({ collection: COLLECTION, key, text, expect: null }),
    remove: (key) => engine().deleteDocument({ collection: COLLECTION, key, expect: null }),
  };
  return new CallStats({ name, clock: systemClock, timers: systemTimers, logger, documents });
}

/** What a call cost by the configuration in force; null where it brought no result, or nothing is said of it. */
export function costIn(config: Config, { provider, outcome, usage }: CallEnd): Cost | null {
  const price = outcome === 'done' ? pricesOf(config).get(provider) : undefined;
  return price === undefined ? null : costOf(price, usage);
}

const known = new WeakMap<Config, ReadonlyMap<string, Price>>();

function pricesOf(config: Config): ReadonlyMap<string, Price> {
  const found = known.get(config);
  if (found !== undefined) return found;
  const providers = config.protocols.flatMap((protocol) => protocol.providers);
  const prices = new Map(
    providers.flatMap(({ id, cost }) => (cost === undefined ? [] : [[id, priceOf(cost)] as const])),
  );
  known.set(config, prices);
  return prices;
}

type GivenCost = NonNullable<Config['protocols'][number]['providers'][number]['cost']>;

function priceOf(given: GivenCost): Price {
  const { per_call = 0, per_1k_input_tokens = 0, per_1k_output_tokens = 0, currency = 'USD' } = given;
  return { per_call, per_1k_input_tokens, per_1k_output_tokens, currency };
}
