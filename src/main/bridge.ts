import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Broker } from '../bridge/broker.ts';
import { readLag } from '../bridge/lag.ts';
import { noBridgeObserver } from '../bridge/service/observer.ts';
import type { BridgeOptions } from '../bridge/service/parts.ts';
import { BridgeService, type BridgeStatus } from '../bridge/service/service.ts';
import { dispatchTopics } from '../bridge/topics.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock, systemRandom, systemTimers } from '../embedded/system.ts';
import type { Pools } from '../router/pools.ts';
import { BridgeMetrics } from '../telemetry/bridge-metrics.ts';
import { withAside } from './aside.ts';
import { bridgeDirectory } from './bridge-directory.ts';
import { openBridgeFace } from './bridge-face.ts';
import { keptIn, openBridgeHouse } from './bridge-house.ts';
import { openBroker } from './broker.ts';
import { openLog } from './log.ts';
import { Opened } from './opened.ts';

export type BridgeProcessOptions = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the server of `bridge.registry_url` is shown. */
  readonly key?: string | undefined;
  /** Instead of the one that the configuration names. */
  readonly broker?: Broker;
};

export type Bridge = {
  readonly name: string;
  /** Where it can be asked how it is; null where it has no port. */
  readonly url: string | null;
  readonly logger: Logger;
  readonly status: () => BridgeStatus;
  /** Takes no more, waits for running calls until the deadline, and leaves the rest to others. */
  stop(): Promise<void>;
};

/** Composes a bridge. Whatever fails on the way, nothing that was opened stays open. */
export async function startBridge(options: BridgeProcessOptions): Promise<Bridge> {
  const { config, environment, key } = options;
  const { logger, hideTexts } = openLog(config);
  for (const warning of config.warnings) logger.warn(warning);
  const opened = new Opened();
  try {
    const bare = options.broker ?? (await openBroker(config, logger));
    opened.add((deadline_ms) => bare.close(Math.max(1000, deadline_ms)));
    const known: Known = { service: null, pools: null, isProtocol: () => false };
    const metrics = config.telemetry.metrics ? metricsOf(config, bare, known) : null;
    const house = await openBridgeHouse({ config, environment, logger, opened, hideTexts, key, metrics });
    known.pools = house.pools;
    known.isProtocol = (name) => house.protocols.has(name);
    const { store, cipher, pools: router, protocols: schemas } = house;
    const broker = store === null ? bare : withAside(bare, store, logger);
    const name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    const { dispatch } = config;
    await broker.ensure(dispatchTopics(dispatch.topics, groupsOf(config), dispatch.partitions));
    const service = new BridgeService({
      ...{ name, broker, router, cipher, schemas, logger, options: optionsOf(config) },
      ...{ clock: systemClock, timers: systemTimers, random: systemRandom() },
      directory: bridgeDirectory({ config: () => config, agents: house.agents }),
      observer: metrics?.observer ?? noBridgeObserver,
      keptOf: store === null ? undefined : (attempt) => keptIn({ reads: store.reads, cipher }, attempt),
    });
    known.service = service;
    await service.start();
    opened.add((deadline_ms) => service.stop(deadline_ms));
    const ready = () => broker.state === 'up';
    const url = await openBridgeFace({ config, logger, opened, metrics, ready });
    const { topics, type } = dispatch;
    const about = { broker: type, topic: topics.tasks, group: dispatch.consumer_group };
    logger.info('taking tasks', { bridge: name, ...about, ...(url === null ? {} : { url }) });
    const stop = () => opened.close(config.bridge.stop_timeout * 1000);
    return { name, url, logger, status: () => service.status, stop };
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

export function groupsOf({ dispatch }: Config) {
  return { engines: dispatch.engine_group, bridges: dispatch.consumer_group };
}

/** What is there only later, and asked for by those who come before it. */
type Known = { service: BridgeService | null; pools: Pools | null; isProtocol: (name: string) => boolean };

function metricsOf({ dispatch }: Config, broker: Broker, known: Known): BridgeMetrics {
  return new BridgeMetrics({
    clock: systemClock,
    counts: () => known.service?.status ?? null,
    lag: () => readLag(broker, { group: dispatch.consumer_group, topic: dispatch.topics.tasks }),
    group: dispatch.consumer_group,
    reachable: () => broker.state === 'up',
    providers: () => known.pools?.providers() ?? [],
    isProtocol: (name) => known.isProtocol(name),
  });
}

function optionsOf({ dispatch, bridge }: Config): BridgeOptions {
  const { concurrency, most_messages, most_bytes } = bridge;
  return { topics: dispatch.topics, group: dispatch.consumer_group, concurrency, most_messages, most_bytes };
}
