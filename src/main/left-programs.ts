import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { descendantsOf } from '../rpc/stdio/descendants.ts';
import type { GroupNotes } from '../rpc/stdio/process-group.ts';
import { lives, type Running, runningAs, signalRunning } from '../rpc/stdio/processes.ts';
import type { Place } from './store.ts';

/** Notes of an earlier version have no mark. */
type Noted = Running & { readonly mark?: string };

/** `boot`: numbers and times mean nothing after the next one. */
type Notes = { readonly boot: string; readonly server: Running; readonly programs: readonly Noted[] };

const inTmp = /^gleitzeit-\d+-programs$/;

/** A store in a file has one server at a time, so its notes lie beside it; of the others each has its own. */
export function notesPlace(where: Place): {
  readonly own: string;
  readonly earlier: () => readonly string[];
} {
  if (where.type === 'sqlite') {
    const own = `${where.path}-programs`;
    return { own, earlier: () => [own] };
  }
  const folder = tmpdir();
  return {
    own: join(folder, `gleitzeit-${process.pid}-programs`),
    earlier: () =>
      readdirSync(folder)
        .filter((name) => inTmp.test(name))
        .map((name) => join(folder, name)),
  };
}

/** Keeps on disk which programs run, for whoever starts after we were killed. Only Linux tells what it takes. */
export function programNotes(file: string): GroupNotes {
  const programs = new Map<number, Noted>();
  const server = runningAs(process.pid);
  const boot = bootOf();
  if (server === null || boot === null) return { started: () => {}, ended: () => {} };
  const write = () => {
    try {
      if (programs.size === 0) return rmSync(file, { force: true });
      const notes: Notes = { boot, server, programs: [...programs.values()] };
      // Whatever somebody put there, nothing is written through it.
      rmSync(`${file}.new`, { force: true });
      writeFileSync(`${file}.new`, JSON.stringify(notes), { mode: 0o600, flag: 'wx' });
      renameSync(`${file}.new`, file);
    } catch {
      // Where nothing can be written, programs of a server that is killed have to end by themselves.
    }
  };
  return {
    started: (pid, mark) => {
      const running = runningAs(pid);
      // What one that has ended already has started is found by the mark alone.
      if (running === null && typeof mark !== 'string') return;
      programs.set(pid, {
        ...(running ?? { pid, start: '0' }),
        ...(typeof mark === 'string' ? { mark } : {}),
      });
      write();
    },
    ended: (pid) => {
      if (programs.delete(pid)) write();
    },
  };
}

export type SweepParts = {
  readonly files: readonly string[];
  readonly logger: Logger;
  readonly timers: Timers;
  readonly grace_ms: number;
};

/** Ends what servers that were killed have left running. Returns the way to wait no longer for those that will not end by themselves. */
export function endLeftPrograms({ files, logger, timers, grace_ms }: SweepParts): () => void {
  const left = new Left(files.flatMap(leftIn));
  const programs = left.look();
  if (programs === 0) return () => {};
  logger.warn('programs of a process that was killed were left running; they are ended', { programs });
  left.signal('SIGTERM');
  const kill = () => {
    // The second time for what was being started the first time.
    for (let time = 0; time < 2; time++) {
      left.look();
      left.signal('SIGKILL');
    }
  };
  const cancel = timers.after(grace_ms, kill);
  return () => {
    cancel();
    kill();
  };
}

/** Programs, and those of their descendants that were found so far. */
class Left {
  readonly #programs: readonly { readonly leader: Noted; known: readonly Running[] }[];

  constructor(programs: readonly Noted[]) {
    this.#programs = programs.map((leader) => ({ leader, known: [] }));
  }

  /** How many of the programs have left anything running. */
  look(): number {
    const families = this.#programs.map(({ leader, known }) => ({
      leader,
      known,
      mark: leader.mark ?? null,
    }));
    const found = families.length === 0 ? [] : descendantsOf(families);
    for (const [at, program] of this.#programs.entries()) {
      // While the leader lives, whoever is in its group is told with it.
      const { leader } = program;
      const led = lives(leader) ? leader.pid : null;
      program.known = (found[at] ?? []).filter(({ group }) => group !== led);
    }
    return this.#programs.filter(({ leader, known }) => known.length > 0 || lives(leader)).length;
  }

  signal(name: NodeJS.Signals): void {
    for (const { leader, known } of this.#programs) {
      signalGroup(leader, name);
      for (const one of known) signalRunning(one, name);
    }
  }
}

function leftIn(file: string): readonly Noted[] {
  const notes = readNotes(file);
  if (notes === 'none' || (notes !== 'unreadable' && lives(notes.server))) return [];
  rmSync(file, { force: true });
  return notes === 'unreadable' || notes.boot !== bootOf() ? [] : notes.programs;
}

/** Only what we wrote ourselves: anybody can put a file into the folder for what is temporary. */
function readNotes(file: string): Notes | 'none' | 'unreadable' {
  try {
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.uid !== process.getuid?.()) return 'none';
  } catch {
    return 'none';
  }
  try {
    const notes: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isNotes(notes) ? notes : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

function isNotes(value: unknown): value is Notes {
  if (typeof value !== 'object' || value === null) return false;
  const { boot, server, programs } = value as Record<string, unknown>;
  return typeof boot === 'string' && isRunning(server) && Array.isArray(programs) && programs.every(isNoted);
}

function isNoted(value: unknown): value is Noted {
  if (!isRunning(value)) return false;
  const { mark } = value as Noted;
  return mark === undefined || typeof mark === 'string';
}

function isRunning(value: unknown): value is Running {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, start } = value as Record<string, unknown>;
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof start === 'string';
}

function signalGroup(program: Running, name: NodeJS.Signals): void {
  if (!lives(program)) return;
  try {
    process.kill(-program.pid, name);
  } catch {
    // It ended by itself meanwhile.
  }
}

function bootOf(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
