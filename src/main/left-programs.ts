import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { GroupNotes } from '../rpc/stdio/process-group.ts';
import type { Place } from './store.ts';

/** The system gives the number of a process that ended to another; with the time it began it is that one. */
type Running = { readonly pid: number; readonly start: string };

/** `boot`: numbers and times mean nothing after the next one. */
type Notes = { readonly boot: string; readonly server: Running; readonly programs: readonly Running[] };

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
  const programs = new Map<number, Running>();
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
    started: (pid) => {
      const running = runningAs(pid);
      if (running === null) return;
      programs.set(pid, running);
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
  const left = files.flatMap(leftIn);
  if (left.length === 0) return () => {};
  logger.warn('programs of a process that was killed were left running; they are ended', {
    programs: left.length,
  });
  for (const program of left) signal(program, 'SIGTERM');
  const kill = () => {
    for (const program of left) signal(program, 'SIGKILL');
  };
  const cancel = timers.after(grace_ms, kill);
  return () => {
    cancel();
    kill();
  };
}

function leftIn(file: string): readonly Running[] {
  const notes = readNotes(file);
  if (notes === 'none' || (notes !== 'unreadable' && lives(notes.server))) return [];
  rmSync(file, { force: true });
  return notes === 'unreadable' || notes.boot !== bootOf() ? [] : notes.programs.filter(lives);
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
  return (
    typeof boot === 'string' && isRunning(server) && Array.isArray(programs) && programs.every(isRunning)
  );
}

function isRunning(value: unknown): value is Running {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, start } = value as Record<string, unknown>;
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof start === 'string';
}

function lives({ pid, start }: Running): boolean {
  return runningAs(pid)?.start === start;
}

function signal(program: Running, name: NodeJS.Signals): void {
  if (!lives(program)) return;
  try {
    process.kill(-program.pid, name);
  } catch {
    // It ended by itself meanwhile.
  }
}

/** The 22nd field is when it began. The second is its name, which may hold anything, brackets too. */
function runningAs(pid: number): Running | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = fields[18];
    return state === 'Z' || state === 'X' || start === undefined ? null : { pid, start };
  } catch {
    return null;
  }
}

function bootOf(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
