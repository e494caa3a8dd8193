import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Moment, ProgramOptions } from './manager-program.ts';

const program = fileURLToPath(new URL('manager-program.ts', import.meta.url));

/** A manager that is started again, at the same port, whenever it has died. */
export class ManagerProcess {
  readonly #options: Omit<ProgramOptions, 'port' | 'die'>;
  readonly #moments: Moment[];
  #child: ChildProcess | null = null;
  #port = 0;
  #over = false;
  #log = '';
  deaths = 0;

  constructor(options: Omit<ProgramOptions, 'port' | 'die'>, moments: readonly Moment[] = []) {
    this.#options = options;
    this.#moments = [...moments];
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  /** Everything that all of its lives wrote to their logs. */
  get log(): string {
    return this.#log;
  }

  async start(): Promise<void> {
    const die = this.#moments.shift();
    const options = { ...this.#options, port: this.#port, ...(die === undefined ? {} : { die }) };
    const child = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (text) => {
      this.#log += text;
    });
    child.once('exit', () => {
      if (this.#over) return;
      this.deaths++;
      void this.start();
    });
    const first = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => null)]);
    if (first !== null) this.#port = Number(String(first[0]));
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    this.#over = true;
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
