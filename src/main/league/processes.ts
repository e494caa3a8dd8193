import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { GleitzeitError } from '../../core/errors.ts';

export type ProcessSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

export type ProcessesParts = {
  /** Who runs, by name: for people who want to look at one, or end it. */
  readonly list_file: string;
  /** What processes say, line by line. */
  readonly heard: (name: string, line: string) => void;
};

type Running = { child: ChildProcess; started: number; quick: number; said: string };

/** One that ends sooner than this has not really begun. */
const QUICK_MS = 2000;
const MOST_QUICK = 5;
const KEPT = 2000;

/** The processes of a league. One that ends before it was asked to is started again. */
export class Processes {
  readonly #parts: ProcessesParts;
  readonly #running = new Map<string, Running>();
  readonly #failure = Promise.withResolvers<never>();
  #stopping = false;
  #listing: Promise<void> = Promise.resolve();
  restarts = 0;

  constructor(parts: ProcessesParts) {
    this.#parts = parts;
    // Heard by whoever waits for it; nobody has to.
    this.#failure.promise.catch(() => {});
  }

  /** Rejects when a process cannot be kept running. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  start(spec: ProcessSpec, quick = 0): void {
    const { name, command, args, env, cwd } = spec;
    const child = spawn(command, [...args], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const running: Running = { child, started: performance.now(), quick, said: '' };
    this.#running.set(name, running);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.#hear(name, running, chunk.toString()));
    child.once('error', (error) => this.#failure.reject(cannotStart(name, error.message)));
    child.once('exit', () => this.#ended(spec, running));
    this.#list();
  }

  /** Asks all of them to end, and ends those that do not. */
  async stop(deadline_ms: number): Promise<void> {
    this.#stopping = true;
    const open = [...this.#running.values()].filter(({ child }) => isAlive(child));
    const gone = Promise.all(open.map(({ child }) => once(child, 'exit')));
    for (const { child } of open) child.kill('SIGTERM');
    const timer = setTimeout(() => {
      for (const { child } of open) child.kill('SIGKILL');
    }, deadline_ms);
    await gone;
    clearTimeout(timer);
    await this.#listing;
  }

  #hear(name: string, running: Running, text: string): void {
    running.said = (running.said + text).slice(-KEPT);
    for (const line of text.split('\n')) if (line !== '') this.#parts.heard(name, line);
  }

  #ended(spec: ProcessSpec, { started, quick, said }: Running): void {
    if (this.#stopping) return;
    const again = performance.now() - started < QUICK_MS ? quick + 1 : 0;
    if (again >= MOST_QUICK) {
      this.#failure.reject(cannotStart(spec.name, said.trim() || 'it ends as soon as it has begun'));
      return;
    }
    this.restarts++;
    setTimeout(
      () => {
        if (!this.#stopping) this.start(spec, again);
      },
      100 * 2 ** again,
    );
  }

  #list(): void {
    const pids = Object.fromEntries([...this.#running].map(([name, { child }]) => [name, child.pid]));
    const { list_file } = this.#parts;
    this.#listing = this.#listing
      .then(() => writeFile(`${list_file}.new`, `${JSON.stringify(pids, null, 2)}\n`))
      .then(() => rename(`${list_file}.new`, list_file))
      .catch(() => {});
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function cannotStart(name: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `${name} cannot be kept running: ${reason}`, { reason });
}
