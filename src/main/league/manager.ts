import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GleitzeitError } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { defaultManagerOptions } from '../../league/manager/parts.ts';
import type { TimeoutPolicy } from '../../league/protocol/timeout-policy.ts';
import { readGames } from '../../league/rules/scoring.ts';
import type { HttpTls } from '../../rpc/http/connect.ts';
import { Opened } from '../opened.ts';
import { openRoutes, type Where } from './face.ts';
import { openManagerHouse } from './manager-house.ts';

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
  readonly tls?: HttpTls | undefined;
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

/** The manager of a league on an engine of its own, behind its endpoint. Whatever fails on the way, nothing stays open. */
export async function startManager(options: ManagerProcessOptions): Promise<RunningManager> {
  const { folder, where, tls, logger } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const audit = join(folder, 'audit.jsonl');
  const house = await openManagerHouse({
    ...{ store: { type: 'sqlite', path: join(folder, 'store.db') }, logger },
    ...{ league: optionsOf(options, audit), ...(tls === undefined ? {} : { tls }) },
  });
  const opened = new Opened();
  opened.add((deadline_ms) => house.stop(deadline_ms));
  try {
    const { manager } = house;
    const { url } = await openRoutes(manager.routes, where, { opened, logger });
    return { url, audit, lost: manager.lost, stop: (deadline_ms = STOP_MS) => opened.close(deadline_ms) };
  } catch (thrown) {
    await opened.close(0);
    throw thrown;
  }
}

function optionsOf(options: ManagerProcessOptions, audit_path: string) {
  const { league_id, game_type, seed, admin_token, timeouts, agent_hosts } = options;
  return {
    ...{ ...defaultManagerOptions, league_id, game_type, seed, games: readGames(options.games) },
    ...{ admin_token, timeouts, agent_hosts, audit_path },
  };
}
