import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { GleitzeitError } from '../../core/errors.ts';
import { openSqliteStore, type SqliteOptions, type SqliteStore } from './store.ts';

export const machineClock = { wall: () => Date.now(), monotonic: () => performance.now() };
export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A path for a store in a folder that goes with the test. */
export function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store.db');
}

export async function openAt(path: string, options: Partial<SqliteOptions> = {}): Promise<SqliteStore> {
  const store = await openSqliteStore({ path, clock: machineClock, logger: silent, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** The error something must be refused with. */
export async function refusal(work: Promise<unknown>): Promise<GleitzeitError> {
  return work.then(
    () => {
      throw new Error('it was not refused');
    },
    (thrown: GleitzeitError) => thrown,
  );
}

export type Child = {
  readonly process: ChildProcess;
  line(): Promise<string>;
  exit(): Promise<number | null>;
};

/**
 * Runs a script in a process of its own, with `store` open on the path and a `say` that writes a line. `blocks` of 512
 * bytes is how long a file the system lets it write.
 */
export function childWithStore(path: string, script: string, blocks = 'unlimited'): Child {
  const program = `
    const { openSqliteStore } = await import(${JSON.stringify(new URL('./store.ts', import.meta.url).href)});
    const silent = { debug() {}, info() {}, warn() {}, error() {} };
    const clock = { wall: () => Date.now(), monotonic: () => performance.now() };
    const store = await openSqliteStore({ path: ${JSON.stringify(path)}, clock, logger: silent });
    const say = (line) => process.stdout.write(line + '\\n');
    ${script}`;
  const limited = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const child = spawn('sh', ['-c', limited, process.execPath, '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { process: child, line: async () => String((await lines.next()).value), exit: () => exited };
}
