import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import type { Timers } from '../../core/ports/clock.ts';

type Watched = { readonly limit: number; readonly exceeded: () => void };

/** What every process holds, by the group it belongs to, in bytes. */
type Usage = ReadonlyMap<number, number>;

/** Asking is cheap where the system shows its processes as files; elsewhere a program has to be started for it. */
const LOOK_MS = process.platform === 'linux' ? 100 : 500;

/**
 * Memory of groups of processes, looked at ten times a second while there is a group with a limit. The kernel's own limits
 * are for single processes and for addresses instead of memory, of which many runtimes reserve more than they ever use.
 */
export class MemoryWatch {
  readonly #timers: Timers;
  readonly #read: () => Promise<Usage>;
  readonly #groups = new Map<number, Watched>();
  #looking = false;

  constructor(timers: Timers, read: () => Promise<Usage> = usageHere) {
    this.#timers = timers;
    this.#read = read;
  }

  /** Tells once when the group holds more. The returned function ends the watch. */
  watch(group: number, limit: number, exceeded: () => void): () => void {
    this.#groups.set(group, { limit, exceeded });
    if (!this.#looking) this.#wait();
    return () => void this.#groups.delete(group);
  }

  #wait(): void {
    this.#looking = true;
    this.#timers.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    if (this.#groups.size > 0) {
      const usage = await this.#read().catch(() => new Map<number, number>());
      for (const [group, { limit, exceeded }] of [...this.#groups]) {
        if ((usage.get(group) ?? 0) <= limit || !this.#groups.delete(group)) continue;
        exceeded();
      }
    }
    if (this.#groups.size > 0) this.#wait();
    else this.#looking = false;
  }
}

function usageHere(): Promise<Usage> {
  return process.platform === 'linux' ? usageOnLinux() : usageByPs();
}

async function usageOnLinux(): Promise<Usage> {
  const usage = new Map<number, number>();
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const name of names) {
    const group = await groupOf(name);
    if (group !== null) usage.set(group, (usage.get(group) ?? 0) + (await residentOf(name)));
  }
  return usage;
}

/** The fifth field; the second is its name, which may hold anything. */
async function groupOf(pid: string): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

async function residentOf(pid: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function usageByPs(): Promise<Usage> {
  return new Promise((resolve, reject) => {
    execFile('ps', ['-axo', 'pgid=,rss='], (error, stdout) => {
      if (error !== null) return reject(error);
      const usage = new Map<number, number>();
      for (const [, group, kilobytes] of stdout.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm))
        usage.set(Number(group), (usage.get(Number(group)) ?? 0) + Number(kilobytes) * 1024);
      resolve(usage);
    });
  });
}
