import type { Broker } from '../bridge/broker.ts';
import type { Config } from '../config.ts';
import type { AgentEntry } from '../core/agent.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { startOrClose } from '../embedded/start.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import { defaultOptions, Engine } from '../engine/engine.ts';
import type { Agents } from '../registry/agents.ts';
import { createDefinitions, type Definitions } from '../registry/definitions.ts';
import { createProtocols, type Protocols } from '../registry/protocols.ts';
import { createStoredProtocols, type StoredProtocols } from '../registry/stored-protocols.ts';
import type { CallStats } from '../router/call-stats.ts';
import { dispatchByWay } from '../router/dispatch-by-way.ts';
import type { Drains } from '../router/drains.ts';
import { localDispatch } from '../router/local-dispatch.ts';
import { Pools } from '../router/pools.ts';
import { SharedTokens } from '../router/shared-tokens.ts';
import { StoreTime } from '../router/store-time.ts';
import type { GroupNotes } from '../rpc/stdio/process-group.ts';
import type { SystemFacts } from '../server/parts.ts';
import { createCipher } from '../store/cipher.ts';
import { hashText } from '../store/hash.ts';
import type { ApiStats } from '../telemetry/metrics.ts';
import { openAgents } from './agent-registry.ts';
import { type AgentConnections, agentSettings, followAgents } from './agents.ts';
import { withCache } from './cache.ts';
import { callbackUrls } from './callback.ts';
import { channelFactories } from './channels.ts';
import type { Executor, OpenExecutorParts } from './executor.ts';
import type { Faults } from './faults.ts';
import type { FaultyWay } from './faulty-channels.ts';
import { endLeftPrograms, notesPlace, programNotes } from './left-programs.ts';
import type { Observation, ObservationParts } from './observation.ts';
import type { Opened } from './opened.ts';
import { forgetProviders, openPeace } from './peace.ts';
import { type ConnectParts, connectProtocols, connectProviders } from './providers.ts';
import { forgetQuotas, openDrains, openQuotas, sharedLimits, stateIn } from './quotas.ts';
import { costIn, newName, openStats } from './stats.ts';
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
  readonly drains: Drains;
  readonly definitions: Definitions;
  readonly agents: Agents;
  /** Agents as members of pools. */
  readonly connections: AgentConnections;
  readonly cipher: Cipher;
  /** What calls came to. */
  readonly stats: CallStats;
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
  /** From now on these texts are kept out of the log. */
  readonly hideTexts?: ((texts: readonly string[]) => void) | undefined;
  /** Handed in, because what it loads is of use to servers only. */
  readonly observe: (parts: ObservationParts) => Promise<Observation>;
  /** False: everything is there and can be asked, but no task is started and no provider announced. */
  readonly works?: boolean;
  /** For what lives for a moment: a store in a file is read and written on this thread. */
  readonly same_thread?: boolean;
  /** What happens on the way to every provider, for those who want to try. */
  readonly faults?: Faults | undefined;
  /** Others may reach it where `server.public_url` says. */
  readonly reachable?: boolean;
  /** Through which calls leave, instead of the one that the configuration names. */
  readonly broker?: Broker | undefined;
};

/** Opens the store, starts the engine on it and connects the providers, in the order in which one needs the other. */
export async function openHouse(parts: HouseParts): Promise<House> {
  const { config, environment, logger, opened, works = true, same_thread = false } = parts;
  const settings = config();
  const where = placeOf(settings.store);
  const exclusive = where.type === 'sqlite';
  const opening = openStore(where, systemClock, logger, { same_thread });
  const store = await withCache(await opening, settings, logger);
  opened.add(() => store.close());
  const faulty = await openFaults(parts);
  const protocols = createProtocols();
  // Faults that are made are no news of a service.
  const isNews = works && parts.faults === undefined;
  const peace = isNews ? openPeace(parts, { store, engine: () => engine }) : undefined;
  const storeTime = new StoreTime(systemClock);
  const timed = { clock: storeTime, timers: systemTimers };
  const pools: Pools = new Pools({
    clock: systemClock,
    timers: systemTimers,
    logger,
    // A store that is away hears of it later or not at all; the provider is connected all the same.
    announce: works ? (happening) => void engine.announce(happening).catch(() => {}) : undefined,
    observe: (call) => {
      observation.metrics?.providerCall(call);
      stats.count(call, { ...call, cost: costIn(config(), call) });
    },
    hedged: (protocol, ended) => observation.metrics?.hedged(protocol, ended),
    isIdempotent: (protocol, method) => protocols.get(protocol)?.methods[method]?.idempotent === true,
    tokens: works ? (name, limit, more) => new SharedTokens(name, limit, { ...shared(), more }) : undefined,
    quotas: works
      ? openQuotas({ ...parts, ...timed }, { store, exclusive, engine: () => engine })
      : undefined,
    storeTime,
    ...peace,
  });
  const shared = () => ({ ...timed, state: sharedLimits(store, () => engine), logger });
  const name = newName();
  const stats = openStats({ name, logger, reads: store.reads, engine: () => engine });
  const observation = await parts.observe({
    config: settings,
    version: version(),
    logger,
    reads: store.reads,
    providers: () => pools.providers(),
    waiting: () => pools.waiting(),
    isProtocol: (name) => protocols.has(name),
    server: parts.serverStats,
    broker: () => executor?.look ?? null,
  });
  opened.add((deadline_ms) => observation.stop(deadline_ms));
  opened.add((deadline_ms) => pools.stop(deadline_ms));
  const cipher = createCipher(() => readKeys(where));
  const counted = () => observation.metrics?.dispatched;
  const leaving = { name, cipher, observer: counted, store: where.type === 'postgres' ? store : null };
  const executor = works ? await openDispatch(parts, leaving) : null;
  const agents = openAgents({ config, logger, opened, store, cipher, engine: () => engine });
  const engine: Engine = newEngine(parts, {
    ...{ where, store, protocols, pools, observation, cipher, agents, executor },
  });
  opened.add((deadline_ms) => engine.stop(deadline_ms));
  opened.add(() => stats.stop());
  const drains = openDrains(parts, { store, pools, engine: () => engine });
  const notes = openNotes(parts, where);
  const { folder, network } = settings;
  const { allow } = network;
  const plain = channelFactories({ logger: faulty?.logger ?? logger, folder, environment, allow, notes });
  const channels = faulty?.over(plain) ?? plain;
  const translations = observation.metrics?.translations;
  const connecting = { pools, protocols, channels, config, logger, translations };
  connectProtocols(connecting);
  const kept = await openRegistry(parts, { store, protocols, engine, cipher });
  await agents.load();
  await startOrClose({ engine, store, providers: [], timers: systemTimers, works });
  await Promise.all([drains.look(), peace?.pauses.look(), peace?.openings.look()]);
  connectProviders(connecting);
  const limits = (entry: AgentEntry) => agentSettings(config(), entry);
  const { hideTexts } = parts;
  const connections = followAgents({ ...connecting, agents, cipher, settings: limits, hideTexts });
  await serveOthers(parts, { executor, engine, store, definitions: kept.definitions });
  if (works) void agents.reseal();
  if (peace !== undefined)
    void forgetProviders({ drains, ...peace }, { store, exclusive, config: settings, agents });
  if (works) void forgetQuotas({ store, exclusive, engine, pools, config: settings });
  return {
    ...connecting,
    ...kept,
    agents,
    connections,
    cipher,
    store,
    engine,
    drains,
    stats,
    observation,
    logger,
    facts: { version: version(), store: where.type },
  };
}

/** What carries calls away is loaded where there is a broker. */
async function openDispatch(
  { config, logger, opened, broker }: HouseParts,
  parts: Pick<OpenExecutorParts, 'name' | 'cipher' | 'observer' | 'store'>,
): Promise<Executor | null> {
  if (broker === undefined && config().dispatch.type === 'local') return null;
  const { openExecutor } = await import('./executor.ts');
  return openExecutor({ config: config(), logger, opened, broker, ...parts });
}

/** After the engine is there, and so that it ends before the engine does. */
async function serveOthers(
  { config, opened }: HouseParts,
  { executor, engine, store, definitions }: Pick<House, 'engine' | 'store' | 'definitions'> & Away,
): Promise<void> {
  if (executor === null) return;
  const { reads } = store;
  const state = stateIn('dispatch', reads, () => engine);
  const { serveOthers: serve } = await import('./executor.ts');
  serve(executor, { config, opened, engine, reads, definitions, state });
}

type Away = { readonly executor: Executor | null };

async function openFaults({ faults, logger, opened }: HouseParts): Promise<FaultyWay | null> {
  if (faults === undefined) return null;
  const way = (await import('./faulty-channels.ts')).openFaultyWay(faults, logger);
  opened.add(() => way.close());
  return way;
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

type Works = Away & {
  readonly where: Place;
  readonly store: Store;
  readonly protocols: Protocols;
  readonly pools: Pools;
  readonly observation: Observation;
  readonly cipher: Cipher;
  readonly agents: Agents;
};

function newEngine({ config, logger, reachable = false }: HouseParts, works: Works): Engine {
  const { where, store, protocols, pools, observation, cipher, agents, executor } = works;
  const here = observation.watch(localDispatch);
  const { engine, retention, server } = config();
  return new Engine({
    store,
    schemas: protocols,
    router: pools,
    dispatch: executor === null ? here : dispatchByWay(here, executor.dispatch),
    cipher,
    agents,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom(),
    logger,
    observer: observation.observer,
    hash: hashText,
    callbackUrl: reachable ? callbackUrls(server.public_url, cipher) : undefined,
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
  { store, protocols, engine, cipher }: Pick<Works, 'store' | 'protocols' | 'cipher'> & { engine: Engine },
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
    cipher,
    hash: hashText,
  });
  return { definitions, registered };
}
