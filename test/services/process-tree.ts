import { access, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** Processes that it has started and that still run; none where the system does not tell. */
export async function childrenOf(pid: number): Promise<number[]> {
  const told = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return told
    .split(' ')
    .filter((child) => child.trim() !== '')
    .map(Number);
}

/** kill -9; resolves when none of them is left. */
export async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has gone by itself.
    }
  }
  for (const pid of pids) while (await runs(pid)) await setTimeout(5);
}

async function runs(pid: number): Promise<boolean> {
  return access(`/proc/${pid}`).then(
    () => true,
    () => false,
  );
}
