import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** The system gives the number of a process that ended to another; with the time it began it is that one. */
export type Running = { readonly pid: number; readonly start: string };

export type Listed = Running & { readonly parent: number; readonly group: number };

/** All that run. Only Linux shows its processes as files; elsewhere none are seen. */
export function listProcesses(): Listed[] {
  if (process.platform !== 'linux') return [];
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (listed(Number(name)) ?? []) : []));
  } catch {
    return [];
  }
}

/** Null where it has ended, also where nobody has looked after it yet. */
export function runningAs(pid: number): Running | null {
  const found = listed(pid);
  return found === null ? null : { pid, start: found.start };
}

export function lives({ pid, start }: Running): boolean {
  return listed(pid)?.start === start;
}

/** It alone, if it still is that one. False where it is not, or does not listen to us. */
export function signalRunning(running: Running, name: NodeJS.Signals): boolean {
  if (running.pid === process.pid || !lives(running)) return false;
  try {
    return process.kill(running.pid, name);
  } catch {
    return false;
  }
}

/** What it was given under this name when it was started; null where it was not, or is none of ours. */
export function variableOf(pid: number, name: string): string | null {
  try {
    const all = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const at = all.indexOf(`\0${name}=`);
    if (at < 0) return null;
    const from = at + name.length + 2;
    const to = all.indexOf('\0', from);
    return all.slice(from, to < 0 ? undefined : to);
  } catch {
    return null;
  }
}

/** The 22nd field is when it began. The second is its name, which may hold anything, brackets too. */
function listed(pid: number): Listed | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent, group, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = fields[16];
    if (state === 'Z' || state === 'X' || start === undefined) return null;
    return { pid, start, parent: Number(parent), group: Number(group) };
  } catch {
    return null;
  }
}
