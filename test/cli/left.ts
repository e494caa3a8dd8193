import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a process may take to notice that whoever started it is gone. */
const PATIENCE_MS = 5000;
const LOOK_MS = 20;

/** Ends what still runs in a folder or was started with its name, and says that it did. Nothing where there is no /proc. */
export async function nothingLeft(folder: string, patience_ms = PATIENCE_MS): Promise<void> {
  const until = performance.now() + patience_ms;
  let left = processesOf(folder);
  while (left.length > 0 && performance.now() < until) {
    await sleep(LOOK_MS);
    left = processesOf(folder);
  }
  if (left.length === 0) return;
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  throw new Error(`left running: ${left.map(({ pid, command }) => `${pid} ${command}`).join('; ')}`);
}

type Left = { readonly pid: number; readonly command: string };

/** Processes that run in a folder or were started with its name. */
export function processesOf(folder: string): Left[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        // One that has ended and is only waited for has neither.
        const isHere = command.includes(folder) || readlinkSync(`/proc/${name}/cwd`).startsWith(folder);
        return command !== '' && isHere ? [{ pid: Number(name), command }] : [];
      } catch {
        // It ended meanwhile, or belongs to somebody else.
        return [];
      }
    });
}
