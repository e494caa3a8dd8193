import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GleitzeitError } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import type { Game } from '../../league/games/game.ts';
import { readGame } from '../../league/games/read-game.ts';
import { type Games, gamesOf } from '../../league/games/registry.ts';
import { type AgentLines, agentLines } from '../../league/protocol/ask.ts';
import {
  defaultTimeouts,
  readTimeoutPolicy,
  type TimeoutPolicy,
} from '../../league/protocol/timeout-policy.ts';
import type { HttpTls } from '../../rpc/http/connect.ts';
import { Redaction } from '../../telemetry/redaction.ts';
import { textLogger } from '../../telemetry/text-logger.ts';
import { readPem } from '../pem.ts';

/** The log of a process of the league: lines on standard error, without what it was told to hide. */
export function leagueLog(debug: boolean): { readonly logger: Logger; hide(texts: readonly string[]): void } {
  const redaction = new Redaction();
  const stream = { write: (line: string) => void process.stderr.write(line) };
  const level = debug ? 'debug' : 'warn';
  const logger = textLogger({ level, stream, redaction, now: () => systemClock.wall() });
  return { logger, hide: (texts) => redaction.add(texts) };
}

/** The authority of the league's certificates, where it is none that everybody knows. */
export function trusted(ca: string | undefined): HttpTls | undefined {
  return ca === undefined ? undefined : { ca: readPem(ca, '--ca', 'ca') };
}

export function openLines(ca: string | undefined): AgentLines {
  const tls = trusted(ca);
  return agentLines({
    ...{ clock: systemClock, timers: systemTimers },
    ...(tls === undefined ? {} : { tls }),
  });
}

/** `timeout_policy.yaml`; the defaults where no file is named. */
export async function readTimeouts(file: string | undefined): Promise<TimeoutPolicy> {
  if (file === undefined) return defaultTimeouts;
  return readTimeoutPolicy(await readYaml(file));
}

export async function readYaml(file: string): Promise<unknown> {
  const { parse } = await import('yaml');
  return parse(await textOf(file));
}

/** Our games and those of files, each of which exports its rules. */
export async function loadGames(files: readonly string[]): Promise<Games> {
  const brought: Game[] = [];
  for (const file of files) {
    try {
      const module: { readonly default?: unknown } = await import(pathToFileURL(resolve(file)).href);
      brought.push(readGame(module.default));
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const hint = 'a game is a module that exports its rules as default: docs/how-to/add-a-game.md';
      throw new GleitzeitError('GLZ1012', `${file}: ${reason}`, { field: 'game-file', reason, hint });
    }
  }
  return gamesOf(brought);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new GleitzeitError('GLZ1012', `${file}: ${GleitzeitError.from(thrown).message}`, { field: file });
  }
}
