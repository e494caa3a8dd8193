import { entryOf, type Program, startProgram } from '../../server/program.ts';
import { ownEnvironment } from '../../server/serve.ts';
import { pause } from '../played.ts';

export type MemberOptions = {
  readonly name: string;
  /** Of `gleitzeit`. */
  readonly args: readonly string[];
  readonly folder: string;
  /** What its log says once it takes work. */
  readonly ready: string;
  /** Told each line of its log that is not merely information. */
  readonly warned: (line: string) => void;
};

const START_MS = 120_000;
const AGAIN_MS = 300;

/**
 * A process that is started again whenever it ends, as whoever runs a system would have it: while the store is away a
 * start may fail.
 */
export class Member {
  readonly name: string;
  readonly #options: MemberOptions;
  #program: Program | null = null;
  /** So often it ended without having been killed, after it was ready. */
  endedAlone = 0;
  /** Starts that failed because something it needs was away. */
  failedStarts = 0;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.name = options.name;
  }

  /** Resolves when it takes work. */
  async start(): Promise<void> {
    const until = performance.now() + START_MS;
    for (;;) {
      const program = this.#spawn();
      this.#program = program;
      try {
        await program.logged({ message: this.#options.ready });
        void program.ended.then(() => this.#ended(program));
        return;
      } catch (thrown) {
        if (performance.now() > until) throw thrown;
        this.failedStarts++;
        await pause(AGAIN_MS);
      }
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const program = this.#program;
    this.#program = null;
    program?.signal(signal);
    await program?.ended;
  }

  #ended(program: Program): void {
    if (this.#program !== program) return;
    this.endedAlone++;
    this.#options.warned(`${this.name} ended by itself:\n${program.output().slice(-2000)}`);
    this.start().catch((thrown: unknown) => this.#options.warned(String(thrown)));
  }

  #spawn(): Program {
    const { name, args, folder, warned } = this.#options;
    return startProgram({
      args,
      cwd: folder,
      env: ownEnvironment(),
      heard: (line) => {
        const level = entryOf(line)?.['level'];
        if (level !== 'info' && level !== 'debug') warned(`${name} ${line}`);
      },
    });
  }
}
