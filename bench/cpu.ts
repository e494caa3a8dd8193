import { readFile } from 'node:fs/promises';
import { childrenOf } from '../test/services/process-tree.ts';

/** Where these stand in /proc/<pid>/stat behind the name of the program. */
const PARENT = 1;
const USER_TICKS = 11;
/** User and system time, then both of the children that have ended. */
const WITH_ENDED = 4;
/** Where it stands in the first line of /proc/stat, whose first word is `cpu`. */
const STOLEN_TICKS = 8;
const TICKS_PER_SECOND = 100;

/** Seconds of a core that a process has used since its start. From Linux itself: `ps` tells whole seconds only. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid);
  return (Number(fields[USER_TICKS]) + Number(fields[USER_TICKS + 1])) / TICKS_PER_SECOND;
}

/** The same with everything it has started, whether that still runs or not. */
export async function cpuSecondsOfTree(pid: number): Promise<number> {
  const ticks = (await statOf(pid)).slice(USER_TICKS, USER_TICKS + WITH_ENDED).map(Number);
  const children = await Promise.all(
    (await childrenOf(pid)).map((child) => cpuSecondsOfTree(child).catch(() => 0)),
  );
  return (
    ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND + children.reduce((sum, one) => sum + one, 0)
  );
}

/**
 * Seconds of processors that were wanted here and that the machine's host gave to others, since it was started. Zero where
 * nobody tells.
 */
export async function stolenSeconds(): Promise<number> {
  const [all = ''] = (await readFile('/proc/stat', 'utf8').catch(() => '')).split('\n');
  return Number(all.trim().split(/\s+/)[STOLEN_TICKS] ?? 0) / TICKS_PER_SECOND;
}

export async function parentOf(pid: number): Promise<number> {
  return Number((await statOf(pid))[PARENT]);
}

async function statOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
}
