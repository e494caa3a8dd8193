import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { makeSchedule } from '../../src/league/rules/schedule.ts';
import { type CommandProcess, runCommand } from '../cli/command.ts';
import { published } from '../cli/published.ts';
import { buildGo } from '../services/go.ts';

const agents = fileURLToPath(new URL('../../agents/', import.meta.url));

/** The players to copy, as `--player-program` takes them: lines of a shell, in whatever folder the clone is. */
export async function foreignPlayers(): Promise<readonly string[]> {
  const go = await buildGo(join(agents, 'go-player'), 'sample-player');
  return [`python3 -B '${join(agents, 'python-player/player.py')}'`, `'${go}'`];
}

/** A league of so many, and what its seed makes of it: every run of it has this schedule. */
export function leagueOf(players: number) {
  const names = Array.from({ length: players }, (_, index) => `P${index + 1}`);
  return {
    options: ['--players', String(players), '--referees', '3', '--seed', '11'],
    schedule: makeSchedule({ players: names, referees: ['R1', 'R2', 'R3'], seed: '11' }),
  };
}

export type WholeLeague = {
  readonly folder: string;
  readonly command: CommandProcess;
  /** The process that has this name now. */
  pid(name: string): number;
  /** Kills it with -9 and resolves when it is there again. */
  kill(name: string): Promise<void>;
  /** The same with a referee, while it has a match that it has to give back. */
  killInMatch(name: string): Promise<void>;
  /** What `GET /status` of the manager says; null while it is away. */
  status(): Promise<LeagueStatus | null>;
  /** Resolves when so many matches have results. */
  reached(matches: number): Promise<void>;
  /** The end, as it was printed. */
  end(): Promise<LeaguePrinted>;
  close(): void;
};

export type LeagueStatus = {
  readonly status: string;
  readonly matches_completed: number;
  readonly players: readonly unknown[];
};

export type LeaguePrinted = {
  readonly matches: number;
  readonly matches_completed: number;
  readonly restarts: number;
  readonly audit: string;
  readonly schedule: readonly { readonly round_id: string; readonly matches: readonly object[] }[];
  readonly standings: readonly { readonly player_id: string; readonly matches_played: number }[];
};

/** `league run` in a process of its own. */
export function startWhole(args: readonly string[]): WholeLeague {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-league-'));
  const command = runCommand(['league', 'run', '--folder', folder, '-o', 'json', '--debug', ...args], {
    cwd: folder,
  });
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const pid = (name: string): number => read('processes.json')[name];
  const status = async () => (await askStatus(read('league.json').port)) as LeagueStatus | null;
  const kill = async (name: string) => {
    const before = pid(name);
    process.kill(before, 'SIGKILL');
    await expect.poll(() => pid(name), { timeout: 60_000 }).not.toBe(before);
  };
  const givenBack = (name: string) =>
    readFileSync(join(folder, 'audit.jsonl'), 'utf8').split(`"referee_id":"${name}","reason"`).length;
  return {
    ...{ folder, command, pid, status, kill },
    killInMatch: async (name) => {
      for (const before = givenBack(name); givenBack(name) === before; ) {
        const playing = async () => (await askStatus(read(`${name}.json`).port))?.['playing'] ?? null;
        await expect.poll(playing, { timeout: 60_000, interval: 1 }).not.toBeNull();
        await kill(name);
        // It has the match no more when it is heard of again.
        await expect.poll(async () => (await askStatus(read(`${name}.json`).port)) !== null).toBe(true);
        await sleep(500);
      }
    },
    reached: async (matches) => {
      const done = async () => ((await status())?.matches_completed ?? 0) >= matches;
      await expect.poll(done, { timeout: 120_000, interval: 10 }).toBe(true);
    },
    end: async () => {
      const { status: code } = await command.ended;
      expect(code, command.stderr().slice(-4000)).toBe(0);
      return published('league_run', command.stdout()) as LeaguePrinted;
    },
    close: () => {
      command.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function askStatus(port: number): Promise<Record<string, unknown> | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/status`);
    return (await answer.json()) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Everything that proves somebody in a league: what must stand in no log and no answer. */
export function secretsOf(folder: string): readonly string[] {
  const { admin_token } = JSON.parse(readFileSync(join(folder, 'league.json'), 'utf8'));
  const states = readdirSync(folder).filter((name) => /^[PR]\d+\.json$/.test(name));
  const kept = states.flatMap((name) => {
    expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    const { auth_token, matches } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return [auth_token, ...Object.values(matches ?? {})] as string[];
  });
  return [admin_token, ...kept].filter((text) => typeof text === 'string' && text !== '');
}
