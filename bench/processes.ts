import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** For every system alike, and as our server starts: a young generation that fits the load, and is collected in short stops. */
export const NODE_FLAGS = ['--expose-gc', '--max-semi-space-size=16'];

/** A process of this folder. Whatever it or a peer in it prints goes to stderr: stdout is for data. */
function start(program: string, args: readonly string[] = []): ChildProcess {
  return fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [...NODE_FLAGS, '--disable-warning=DeprecationWarning'],
  });
}

/** Gives a new process one message, and resolves with the one it answers. */
export async function ask<Answer>(program: string, message: object, limitMs: number): Promise<Answer> {
  const child = start(program);
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const gone = once(child, 'exit');
  try {
    return await new Promise<Answer>((resolve, reject) => {
      child.once('message', (answer) => resolve(answer as Answer));
      gone.then(
        ([code, signal]) => reject(new Error(`the process ${program} ended with ${signal ?? code}`)),
        reject,
      );
      child.send(message);
    });
  } finally {
    // The next one to be measured has the machine for itself.
    await gone;
    clearTimeout(limit);
  }
}

/** A program of this folder, run to its end. */
export async function inChild(program: string, args: readonly string[]): Promise<void> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/** A service for as long as this process wants it, and what it says when it is ready. */
export async function startService<Ready>(
  program: string,
  args: readonly string[] = [],
): Promise<{ readonly ready: Ready; readonly pid: number; stop(): Promise<void> }> {
  const child = start(program, args);
  const gone = once(child, 'exit');
  const [ready] = await Promise.race([
    once(child, 'message'),
    gone.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`))),
  ]);
  return {
    ready: ready as Ready,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

export interface Agent {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** An agent that nobody else calls, and how long it takes. It ends with this process, at the latest. */
export async function startAgent(health: 'well' | 'hung' | 'flaky' = 'well', takes_ms = 0): Promise<Agent> {
  const { ready, pid, stop } = await startService<string>('./agent.ts', [health, String(takes_ms)]);
  return { url: ready, pid, stop };
}
