import { resolve } from 'node:path';
import { openLeagueFolder } from '../../main/league/league-folder.ts';
import { type LeagueEnd, playersOf, refereesOf, runLeague } from '../../main/league/run.ts';
import { tooLate } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { badValue } from '../flags.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { Io } from '../io.ts';
import type { Invocation } from '../spec.ts';
import { standingsTable } from '../views/league.ts';
import { type LiveLeague, leagueLine, liveLeague } from '../views/league-live.ts';
import { portOf } from './league-agent.ts';

/** A whole league, from the first registration to the last table. */
export async function leagueRun(call: Invocation): Promise<ExitName> {
  const { flags, cwd, env, io, now } = call;
  const programs = flags.list('player-program');
  const players = atLeast('players', flags.count('players') ?? 4, Math.max(2, programs.length));
  const folder = resolve(cwd, flags.text('folder') ?? `.gleitzeit/league/${stamp(now())}`);
  const settings = await openLeagueFolder(folder, {
    ...{ league_id: 'league', game: flags.text('game') ?? '', seed: flags.text('seed'), players },
    ...{ referees: flags.count('referees') ?? 2, port: portOf(flags.text('port') ?? '0') },
  });
  const timeouts = pathsOf(call, 'timeouts', [flags.text('timeouts')]);
  const games = pathsOf(call, 'game-file', flags.list('game-file'));
  const began = performance.now();
  const shown = shower(io, now);
  const ended = await untilInterrupted((signal) =>
    within(flags.milliseconds('timeout'), signal, (both) =>
      runLeague({
        ...{ folder, cwd, settings, programs, env, signal: both },
        strategies: strategiesIn(flags.text('strategy') ?? 'random'),
        ...{ forReferees: [...timeouts, ...games], forManager: timeouts },
        heard: (name, line) => io.debug && io.say(`[${name}] ${line}`),
        progressed: shown.show,
      }),
    ),
  );
  if (ended === 'interrupted') {
    io.say(`Left. It goes on with: gleitzeit league run --folder ${folder}`);
    return 'interrupted';
  }
  const seconds = Math.round(performance.now() - began) / 1000;
  const facts = {
    seed: settings.seed,
    players: playersOf(settings),
    referees: refereesOf(settings),
    seconds,
  };
  shown.clear();
  await tell(io, ended, facts);
  return ended.audited.intact && ended.replayed.differences.length === 0 ? 'ok' : 'findings';
}

type Facts = {
  readonly seed: string;
  readonly players: readonly string[];
  readonly referees: readonly string[];
  readonly seconds: number;
};

async function tell(
  io: Io,
  { progress, replayed, audited, restarts }: LeagueEnd,
  facts: Facts,
): Promise<void> {
  const told = { ...progress, ...facts, schedule: replayed.schedule, audit: audited.file, restarts };
  const problems = [...replayed.differences, ...(audited.reason === null ? [] : [audited.reason])];
  await io.emit(told, {
    table: (view) =>
      [
        standingsTable(progress.standings, view).trimEnd(),
        `${progress.matches_completed} matches in ${facts.seconds} s, seed ${facts.seed}`,
        `The log: ${audited.file}, ${audited.lines} lines${problems.length === 0 ? ', agrees with the table' : ''}`,
        ...problems,
        '',
      ].join('\n'),
    names: progress.standings.map(({ player_id }) => player_id),
  });
}

/** In a terminal the table is drawn over itself; elsewhere, and among what processes say, a line tells what is new. */
function shower(io: Io, now: () => number): Pick<LiveLeague, 'show' | 'clear'> {
  let last = '';
  const rows = () => process.stderr.rows || 24;
  const live = io.stderr.tty && !io.debug ? liveLeague({ screen: io.stderr, rows, now }) : null;
  return {
    show: (progress) => {
      const line = leagueLine(progress);
      if (line === last || io.format === 'none') return;
      last = line;
      if (live === null) io.say(line);
      else live.show(progress);
    },
    clear: () => live?.clear(),
  };
}

/** The signal of Ctrl-C, and the end of `--timeout`. */
async function within<Result>(
  ms: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (ms === undefined) return work(signal);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooLate(ms)), ms);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (thrown) {
    throw late.signal.aborted ? late.signal.reason : thrown;
  } finally {
    clearTimeout(timer);
  }
}

function strategiesIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names)
    if (name !== 'random' && name !== 'rules') throw badValue('strategy', name, 'write random or rules');
  return names;
}

function atLeast(name: string, given: number, least: number): number {
  if (given >= least) return given;
  throw badValue(name, String(given), `write a whole number of at least ${least}`);
}

function pathsOf(
  { cwd }: Invocation,
  name: string,
  files: readonly (string | undefined)[],
): readonly string[] {
  return files.flatMap((file) => (file === undefined ? [] : [`--${name}`, resolve(cwd, file)]));
}

/** `20260131-100000-123`: by it folders stand in the order of time. */
function stamp(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:Z]/g, '').replace('T', '-').replace('.', '-');
}
