import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { givenUp } from '../correlate.ts';
import { childEnvironment } from '../stdio/environment.ts';
import type { GroupNotes } from '../stdio/process-group.ts';
import { Life, notStarted } from './life.ts';
import { MemoryWatch } from './memory.ts';
import type { ProgramEnd, ProgramRun, Programs } from './program.ts';

export type ProgramSurroundings = {
  /** Where programs run that were not told where. */
  readonly folder: string;
  /** Our own environment, handed in by whoever may read it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the package, for the files that programs are to read. */
  readonly packaged: (path: string) => string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly notes?: GroupNotes | undefined;
};

/** Programs of this machine. */
export function programs(surroundings: ProgramSurroundings): Programs {
  const memory = new MemoryWatch(surroundings.timers);
  const { environment, folder, packaged } = surroundings;
  return {
    packaged,
    find: (names, from) =>
      findProgram(names, {
        folder: from?.cwd ?? folder,
        path: from?.env['PATH'] ?? environment['PATH'] ?? '',
      }),
    run: async (run) => start(run, { ...surroundings, memory }, { environment, folder }),
  };
}

async function start(
  run: ProgramRun,
  parts: ProgramSurroundings & { readonly memory: MemoryWatch },
  { environment, folder }: Pick<ProgramSurroundings, 'environment' | 'folder'>,
): Promise<ProgramEnd> {
  if (run.signal.aborted) throw givenUp(run.signal);
  const inherited = run.inherit.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = childEnvironment(environment, { ...Object.fromEntries(inherited), ...run.env });
  try {
    return await new Life(run, env, run.cwd ?? folder, parts).ended;
  } catch (thrown) {
    // The system refuses some commands before there is a child that could tell.
    throw isRefusal(thrown) ? notStarted(run.command[0], thrown) : thrown;
  }
}

function isRefusal(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'code' in thrown && !String(thrown.code).startsWith('GLZ');
}

type Places = { readonly folder: string; readonly path: string };

/** As the system looks for it: a name with a stroke in it is a place. */
async function findProgram(names: readonly string[], { folder, path }: Places): Promise<string | null> {
  for (const name of names) {
    const places = name.includes('/')
      ? [resolve(folder, name)]
      : path.split(delimiter).map((one) => join(one, name));
    for (const place of places) if (await isProgram(place)) return place;
  }
  return null;
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
