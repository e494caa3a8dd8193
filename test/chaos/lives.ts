import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoreOptions } from '../../src/index.ts';
import type { Line, Outside } from './outside.ts';

export type Life = { readonly child: ChildProcess; readonly line: Line; readonly readyAt: number };

/** Starts engine processes one at a time, so that the connection that comes is known to be theirs. */
export class Lives {
  readonly #outside: Outside;
  readonly #socketPath: string;
  readonly #store: StoreOptions;
  #waiting: ((line: Line) => void) | null = null;

  constructor(parts: { outside: Outside; socketPath: string; store: StoreOptions }) {
    this.#outside = parts.outside;
    this.#socketPath = parts.socketPath;
    this.#store = parts.store;
  }

  async open(): Promise<void> {
    await this.#outside.listen(this.#socketPath, (line) => this.#waiting?.(line));
  }

  async start(): Promise<Life> {
    const { promise, resolve } = Promise.withResolvers<Line>();
    this.#waiting = resolve;
    const program = fileURLToPath(new URL('./engine-process.ts', import.meta.url));
    const child = spawn(process.execPath, [program, this.#socketPath, JSON.stringify(this.#store)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const died = once(child, 'exit').then(([code]) => {
      throw new Error(`an engine ended by itself with ${code}`);
    });
    // Waited for only until it is ready; a kill later is meant.
    died.catch(() => {});
    const line = await Promise.race([promise, died]);
    await Promise.race([line.ready, died]);
    return { child, line, readyAt: performance.now() };
  }
}

export async function kill({ child }: Life): Promise<void> {
  child.kill('SIGKILL');
  if (child.signalCode === null) await once(child, 'exit');
}

export async function end({ child }: Life): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
