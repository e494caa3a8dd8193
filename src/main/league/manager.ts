import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GleitzeitError } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { startOrClose } from '../../embedded/start.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultOptions, Engine } from '../../engine/engine.ts';
import { LeagueManager } from '../../league/manager/manager.ts';
import { leagueProtocol } from '../../league/manager/match-task.ts';
import { defaultManagerOptions } from '../../league/manager/parts.ts';
import type { AgentLines } from '../../league/protocol/ask.ts';
import type { TimeoutPolicy } from '../../league/protocol/timeout-policy.ts';
import { readGames } from '../../league/rules/scoring.ts';
import { createProtocols } from '../../registry/protocols.ts';
import { localDispatch } from '../../router/local-dispatch.ts';
import { createRouter } from '../../router/router.ts';
import { createCipher } from '../../store/cipher.ts';
import { hashText } from '../../store/hash.ts';
import { Opened } from '../opened.ts';
import { openStore, placeOf, readKeys } from '../store.ts';
import { openRoutes, type Where } from './face.ts';

export type ManagerProcessOptions = {
  readonly league_id: string;
  readonly game_type: string;
  readonly seed: string;
  /** How games count: what a file of games says, as it was read. */
  readonly games: unknown;
  readonly admin_token: string;
  readonly agent_hosts: readonly string[];
  readonly timeouts: TimeoutPolicy;
  /** Its store and its audit log are there. */
  readonly folder: string;
  readonly where: Where;
  readonly lines: AgentLines;
  readonly logger: Logger;
};

export type RunningManager = {
  readonly url: string;
  readonly audit: string;
  /** Resolves when somebody else manages this league. */
  readonly lost: Promise<GleitzeitError>;
  stop(deadline_ms?: number): Promise<void>;
};

const STOP_MS = 5000;

/** The manager of a league on an engine of its own. Whatever fails on the way, nothing that was opened stays open. */
export async function startManager(options: ManagerProcessOptions): Promise<RunningManager> {
  const opened = new Opened();
  try {
    return await compose(options, opened);
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

async function compose(options: ManagerProcessOptions, opened: Opened): Promise<RunningManager> {
  const { folder, where, logger } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const audit = join(folder, 'audit.jsonl');
  const place = placeOf({ type: 'sqlite', path: join(folder, 'store.db') });
  const store = await openStore(place, systemClock, logger);
  opened.add(() => store.close());
  const cipher = createCipher(() => readKeys(place));
  const shared = { cipher, clock: systemClock, timers: systemTimers, random: systemRandom(), logger };
  const held: { engine: Engine | null } = { engine: null };
  const manager = new LeagueManager({
    ...{ ...shared, reads: store.reads, lines: options.lines, options: optionsOf(options, audit) },
    engine: () => engineIn(held),
  });
  const protocols = createProtocols();
  protocols.register(parseProtocol(leagueProtocol));
  const engine = new Engine({
    ...{ ...shared, store, schemas: protocols, dispatch: localDispatch, hash: hashText },
    ...{ router: createRouter([manager.provider]), options: { ...defaultOptions, concurrency: CONCURRENCY } },
  });
  held.engine = engine;
  opened.add(() => manager.stop());
  opened.add((deadline_ms) => engine.stop(deadline_ms));
  await manager.open();
  await startOrClose({ engine, store, providers: [manager.provider], timers: systemTimers });
  opened.add(() => manager.quiet());
  await manager.start();
  const { url } = await openRoutes(manager.routes, where, { opened, logger });
  return { url, audit, lost: manager.lost, stop: (deadline_ms = STOP_MS) => opened.close(deadline_ms) };
}

/** Matches that wait for a referee hold a slot each: a round of a hundred players has fifty. */
const CONCURRENCY = 1000;

function optionsOf(options: ManagerProcessOptions, audit_path: string) {
  const { league_id, game_type, seed, admin_token, timeouts, agent_hosts } = options;
  return {
    ...{ ...defaultManagerOptions, league_id, game_type, seed, games: readGames(options.games) },
    ...{ admin_token, timeouts, agent_hosts, audit_path },
  };
}

function engineIn({ engine }: { readonly engine: Engine | null }): Engine {
  if (engine === null) throw new Error('the engine is not there yet');
  return engine;
}
