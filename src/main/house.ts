import type { Config } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { startOrClose } from '../embedded/start.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { defaultOptions, Engine } from '../engine/engine.ts';
import { createDefinitions, type Definitions } from '../registry/definitions.ts';
import { createProtocols, type Protocols } from '../registry/protocols.ts';
import { createStoredProtocols, type StoredProtocols } from '../registry/stored-protocols.ts';
import { localDispatch } from '../router/local-dispatch.ts';
import { Pools } from '../router/pools.ts';
import { type SharedState, SharedTokens } from '../router/shared-tokens.ts';
import type { GroupNotes } from '../rpc/stdio/process-group.ts';
import type { SystemFacts } from '../server/parts.ts';
import { createCipher } from '../store/cipher.ts';
import { hashText } from '../store/hash.ts';
import type { ApiStats } from '../telemetry/metrics.ts';
import { channelFactories } from './channels.ts';
import type { Faults } from './faults.ts';
import type { FaultyWay } from './faulty-channels.ts';
import { endLeftPrograms, notesPlace, programNotes } from './left-programs.ts';
import type { Observation, ObservationParts } from './observation.ts';
import type { Opened } from './opened.ts';
import { type ConnectParts, connectProtocols, connectProviders } from './providers.ts';
import { type OpenedStore, openStore, optionsFor, type Place, placeOf, readKeys } from './store.ts';
import { version } from './version.ts';

const DAY_MS = 24 * 3600 * 1000;
/** How long a program that was left behind may take to end. */
const LEFT_GRACE_MS = 5000;

/** Everything behind the faces, started. */
export type House = ConnectParts & {
  readonly registered: StoredProtocols;
  readonly store: OpenedStore;
  readonly engine: Engine;
  readonly definitions: Definitions;
  readonly observation: Observation;
  readonly logger: Logger;
  readonly facts: Pick<SystemFacts, 'version' | 'store'>;
};

export type HouseParts = {
  readonly config: () => Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly opened: Opened;
  /** What the server will tell of itself once there is one. */
  readonly serverStats: () => Promise<ApiStats | null>;
  /** Handed in, because what it loads is of use to servers only. */
  readonly observe: (parts: ObservationParts) => Promise<Observation>;
  /** False: everything is there and can be asked, but no task is started and no provider announced. */
  readonly works?: boolean;
  /** For what lives for a moment: a store in a file is read and written on this thread. */
  readonly same_thread?: boolean;
  /** What happens on the way to every provider, for those who want to try. */
  readonly faults?: Faults | undefined;
};

/** Opens the store, starts the engine on it and connects the providers, in the order in which one needs the other. */
export async function openHouse(parts: HouseParts): Promise<House> {
  const { config, environment, logger, opened, works = true, same_thread = false } = parts;
  const settings = config();
  const where = placeOf(settings.store);
  const store = await openStore(where, systemClock, logger, { same_thread });
  opened.add(() => store.close());
  const faulty = await openFaults(parts);
  const protocols = createProtocols();
  const pools: Pools = new Pools({
    clock: systemClock,
    timers: systemTimers,
    logger,
    // A store that is away hears of it later or not at all; the provider is connected all the same.
    announce: works ? (happening) => void engine.announce(happening).catch(() => {}) : undefined,
    observe: (call) => observation.metrics?.providerCall(call),
    tokens: works ? (name, limit, more) => new SharedTokens(name, limit, { ...shared(), more }) : undefined,
  });
  const shared = () => ({ state: sharedLimits(store, engine), clock: systemClock, logger });
  const observation = await parts.observe({
    config: settings,
    version: version(),
    logger,
    reads: store.reads,
    providers: () => pools.providers(),
    isProtocol: (name) => protocols.has(name),
    server: parts.serverStats,
  });
  opened.add((deadline_ms) => observation.stop(deadline_ms));
  opened.add((deadline_ms) => pools.stop(deadline_ms));
  const engine = newEngine(parts, { where, store, protocols, pools, observation });
  opened.add((deadline_ms) => engine.stop(deadline_ms));
  const notes = openNotes(parts, where);
  const { folder } = settings;
  const plain = channelFactories({ logger: faulty?.logger ?? logger, folder, environment, notes });
  const channels = faulty?.over(plain) ?? plain;
  const connecting = { pools, protocols, channels, config };
  connectProtocols(connecting);
  const kept = await openRegistry(parts, { store, protocols, engine, where });
  await startOrClose({ engine, store, providers: [], timers: systemTimers, works });
  connectProviders(connecting);
  return {
    ...connecting,
    ...kept,
    store,
    engine,
    observation,
    logger,
    facts: { version: version(), store: where.type },
  };
}

async function openFaults({ faults, logger, opened }: HouseParts): Promise<FaultyWay | null> {
  if (faults === undefined) return null;
  const way = (await import('./faulty-channels.ts')).openFaultyWay(faults, logger);
  opened.add(() => way.close());
  return way;
}

/** Rate limits are counted in the store, for all engines on it. */
function sharedLimits({ reads }: Store, engine: Pick<Engine, 'putDocument'>): SharedState {
  const collection = 'limits';
  return {
    read: (name) => reads.document(collection, name),
    write: (key, text, expect) => engine.putDocument({ collection, key, text, expect }),
  };
}

/** Before any program is started: what one that was killed has left of its own is ended. */
function openNotes({ logger, opened, works = true }: HouseParts, where: Place): GroupNotes {
  const { own, earlier } = notesPlace(where);
  if (works && process.platform === 'linux') {
    const timers = systemTimers;
    opened.add(endLeftPrograms({ files: earlier(), logger, timers, grace_ms: LEFT_GRACE_MS }));
  }
  return programNotes(own);
}

type Works = {
  readonly where: Place;
  readonly store: Store;
  readonly protocols: Protocols;
  readonly pools: Pools;
  readonly observation: Observation;
};

function newEngine({ config, logger }: HouseParts, works: Works): Engine {
  const { where, store, protocols, pools, observation } = works;
  const { engine, retention } = config();
  return new Engine({
    store,
    schemas: protocols,
    router: pools,
    dispatch: observation.watch(localDispatch),
    cipher: createCipher(() => readKeys(where)),
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom(),
    logger,
    observer: observation.observer,
    hash: hashText,
    options: {
      ...defaultOptions,
      ...optionsFor(where),
      concurrency: engine.concurrency,
      lease_ttl_ms: engine.lease_ttl * 1000,
      keep_ms: retention.days * DAY_MS,
    },
  });
}

/** What was defined and registered while servers ran, kept in the store for all of them. */
async function openRegistry(
  { config, logger, opened }: HouseParts,
  { store, protocols, engine, where }: Pick<Works, 'store' | 'protocols' | 'where'> & { engine: Engine },
): Promise<Pick<House, 'definitions' | 'registered'>> {
  const { reads } = store;
  const documents = { reads, put: engine.putDocument.bind(engine) };
  const registered = createStoredProtocols({
    protocols,
    documents,
    timers: systemTimers,
    logger,
    isOwn: (name) => config().protocols.some((protocol) => protocol.name === name),
  });
  opened.add(() => registered.close());
  // Listening before reading: what others register in between is heard.
  opened.add(store.onChange((hint) => hint.documents && registered.refresh()));
  await registered.load();
  const definitions = createDefinitions({
    documents,
    clock: systemClock,
    schemas: protocols,
    cipher: createCipher(() => readKeys(where)),
    hash: hashText,
  });
  return { definitions, registered };
}
