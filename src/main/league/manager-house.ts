import type { Logger } from '../../core/ports/logger.ts';
import { parseProtocol } from '../../core/protocol.ts';
import type { StoreOptions } from '../../embedded/options.ts';
import { startOrClose } from '../../embedded/start.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultOptions, Engine } from '../../engine/engine.ts';
import { LeagueManager } from '../../league/manager/manager.ts';
import { leagueProtocol } from '../../league/manager/match-task.ts';
import type { LeagueEngine, ManagerOptions } from '../../league/manager/parts.ts';
import { type AgentLinesParts, agentLines } from '../../league/protocol/ask.ts';
import { createProtocols } from '../../registry/protocols.ts';
import { localDispatch } from '../../router/local-dispatch.ts';
import { createRouter } from '../../router/router.ts';
import { createCipher } from '../../store/cipher.ts';
import { hashText } from '../../store/hash.ts';
import { openStore, optionsFor, placeOf, readKeys } from '../store.ts';

export type ManagerHouseOptions = {
  readonly store: StoreOptions;
  readonly logger: Logger;
  readonly league: ManagerOptions;
  readonly tls?: AgentLinesParts['tls'];
  /** For tests that end the process at a chosen moment. */
  readonly around?: (engine: LeagueEngine) => LeagueEngine;
};

export type ManagerHouse = {
  readonly manager: LeagueManager;
  /** To be called when the listener takes no more. */
  stop(deadline_ms: number): Promise<void>;
};

/** A store, an engine and the manager of one league on it. Its routes are mounted by whoever opens a listener. */
export async function openManagerHouse(options: ManagerHouseOptions): Promise<ManagerHouse> {
  const { logger, around = (engine) => engine } = options;
  const where = placeOf(options.store);
  const store = await openStore(where, systemClock, logger);
  const system = { clock: systemClock, timers: systemTimers, random: systemRandom(), logger };
  const lines = agentLines({ ...system, tls: options.tls });
  const cipher = createCipher(() => readKeys(where));
  const manager = new LeagueManager({
    ...{ ...system, cipher, lines, reads: store.reads, options: options.league },
    engine: () => around(engine),
  });
  const protocols = createProtocols();
  protocols.register(parseProtocol(leagueProtocol));
  const engine = new Engine({
    ...{ ...system, cipher, store, schemas: protocols, dispatch: localDispatch, hash: hashText },
    router: createRouter([manager.provider]),
    options: { ...defaultOptions, ...optionsFor(where), concurrency: MOST_MATCHES },
  });
  try {
    // What a match has come to is asked as soon as the engine runs.
    await manager.open();
    await startOrClose({ engine, store, providers: [manager.provider], timers: systemTimers });
  } catch (thrown) {
    await Promise.all([engine.stop(0), lines.close()]);
    await store.close().catch(() => {});
    throw thrown;
  }
  await manager.start();
  return {
    manager,
    stop: async (deadline_ms) => {
      await manager.quiet();
      await engine.stop(deadline_ms);
      await manager.stop();
      await lines.close();
      await store.close();
    },
  };
}

/** Matches of one round that wait for a referee at the same time; more wait in the queue. */
const MOST_MATCHES = 1024;
