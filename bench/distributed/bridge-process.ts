import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PROGRAM, startBound } from '../server-process.ts';

export interface BridgeProcess {
  readonly pid: number;
  /** When it said that it takes tasks. */
  readonly ready_at: number;
  stop(): Promise<void>;
}

/** `gleitzeit bridge` as anybody starts it; resolved when it takes tasks. */
export async function startBridge(file: string, folder: string): Promise<BridgeProcess> {
  const child = startBound([PROGRAM, 'bridge', '--config', file], folder, 'pipe');
  const gone = once(child, 'exit');
  const said = new Promise<number>((resolve) => {
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('"taking tasks"')) resolve(performance.now());
      else if (!line.includes('"level":"info"')) process.stderr.write(`${line}\n`);
    });
  });
  const ready_at = await Promise.race([
    said,
    gone.then(([code]) => Promise.reject(new Error(`the bridge ended with ${code} before it was ready`))),
  ]);
  return {
    pid: child.pid ?? 0,
    ready_at,
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
