import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../package-file.ts';
import { type LeagueProgress, leagueProgress, startLeague } from './ask-manager.ts';
import { type Audited, auditFile, replayFile } from './audit.ts';
import type { LeagueSettings } from './league-folder.ts';
import { openLines } from './place.ts';
import { Processes, type ProcessSpec } from './processes.ts';

export type LeagueRun = {
  readonly folder: string;
  readonly cwd: string;
  readonly settings: LeagueSettings;
  /** How players of ours play, one after another. */
  readonly strategies: readonly string[];
  /** Commands of players that are not ours; they are the last ones. */
  readonly programs: readonly string[];
  /** Handed on as they are: `--timeouts`, `--game-file`. */
  readonly forReferees: readonly string[];
  readonly forManager: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly heard: (name: string, line: string) => void;
  readonly progressed: (progress: LeagueProgress) => void;
};

export type LeagueEnd = {
  readonly progress: LeagueProgress;
  readonly replayed: Awaited<ReturnType<typeof replayFile>>;
  readonly audited: Audited;
  readonly restarts: number;
};

const LOOK_MS = 100;
const STOP_MS = 5000;

export const playersOf = ({ players }: LeagueSettings) => numbered('P', players);
export const refereesOf = ({ referees }: LeagueSettings) => numbered('R', referees);

/** Starts everybody, opens the league when all are there, and resolves when it has ended and everybody is gone. */
export async function runLeague(run: LeagueRun): Promise<LeagueEnd> {
  const { folder, settings, heard } = run;
  const audit = join(folder, 'audit.jsonl');
  const processes = new Processes({ list_file: join(folder, 'processes.json'), heard });
  try {
    for (const spec of specsOf(run)) processes.start(spec);
    const manager = `http://127.0.0.1:${settings.port}`;
    const progress = await Promise.race([follow(run, manager), processes.failed]);
    await processes.stop(STOP_MS);
    const replayed = await replayFile(audit);
    return { progress, replayed, audited: await auditFile(audit), restarts: processes.restarts };
  } finally {
    await processes.stop(STOP_MS);
  }
}

/** Until the league has ended. A manager that does not answer is being started again. */
async function follow({ settings, signal, progressed }: LeagueRun, manager: string): Promise<LeagueProgress> {
  const lines = openLines(undefined);
  try {
    for (;;) {
      signal.throwIfAborted();
      const progress = await leagueProgress({ url: manager }).catch(() => null);
      if (progress !== null) {
        progressed(progress);
        if (progress.status === 'COMPLETED') return progress;
        if (isComplete(progress, settings))
          // Refused where an answer was lost and it has started; otherwise the next look tries again.
          await startLeague({ lines, manager, admin_token: settings.admin_token }).catch(() => {});
      }
      await sleep(LOOK_MS, null, { signal });
    }
  } finally {
    await lines.close();
  }
}

function isComplete(progress: LeagueProgress, { players, referees }: LeagueSettings): boolean {
  const { status } = progress;
  return status === 'REGISTRATION' && progress.players === players && progress.referees === referees;
}

function specsOf(run: LeagueRun): readonly ProcessSpec[] {
  const { folder, settings, strategies, programs, forReferees, forManager, env, cwd } = run;
  const { league_id, game, seed, port, admin_token } = settings;
  const manager = `http://127.0.0.1:${port}`;
  const ours = (name: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) => ({
    ...{ name, command: process.execPath, cwd, env: { ...env, ...parent(), ...more } },
    args: [fileURLToPath(packageFile('bin/gleitzeit.js')), 'league', ...args],
  });
  const agent = (kind: string, id: string, more: readonly string[]) =>
    ours(id, [
      ...[kind, '--id', id, '--manager', manager, '--seed', seed, '--state', join(folder, `${id}.json`)],
      ...more,
    ]);
  const ids = playersOf(settings);
  const native = ids.slice(0, Math.max(0, ids.length - programs.length));
  const about = ['--league-id', league_id, '--game', game, '--seed', seed, '--port', String(port)];
  return [
    ours('manager', ['manager', ...about, '--folder', folder, ...forManager], {
      GLEITZEIT_LEAGUE_ADMIN_TOKEN: admin_token,
    }),
    ...refereesOf(settings).map((id) => agent('referee', id, forReferees)),
    ...native.map((id, index) =>
      agent('player', id, [
        '--strategy',
        strategies[index % strategies.length] ?? 'random',
        ...gamesIn(forReferees),
      ]),
    ),
    ...ids.slice(native.length).map((id, index) => {
      const told = { MANAGER_URL: `${manager}/mcp`, PLAYER_ID: id, PORT: '0', SEED: seed };
      const state = { STATE_FILE: join(folder, `${id}.json`), HOST: '127.0.0.1' };
      // So that what is ended is the program, and not the shell that started it.
      const args = ['-c', `exec ${programs[index]}`];
      return { name: id, command: 'sh', args, cwd, env: { ...env, ...told, ...state } };
    }),
  ];
}

/** Players of ours need the games too, to know what they may do. */
function gamesIn(args: readonly string[]): readonly string[] {
  return args.filter((word, index) => word === '--game-file' || args[index - 1] === '--game-file');
}

/** Whose end they do not outlive. */
function parent(): Readonly<Record<string, string>> {
  return { GLEITZEIT_LEAGUE_PARENT: String(process.pid) };
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}
