import { setTimeout } from 'node:timers/promises';
import { openTerminal, type PseudoTerminal } from '../../scripts/capture/pseudo-terminal.ts';
import { Screen } from '../../scripts/capture/screen.ts';

export type ShellOptions = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns?: number;
};

const ROWS = 50;
/** For what a person presses Ctrl-C on to end, and for what a page says will be there. */
const END_MS = 10_000;
const LONGEST_MS = 300_000;
/** The shell tells the terminal when it has a prompt: nobody sees it, and it cannot be mistaken for output. */
const PROMPTED = '777;prompt;';

type Waiting = {
  readonly isThere: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

/** Somebody at a terminal: what is pasted goes to a real bash on a real pseudo-terminal, and what is seen is the screen. */
export class Shell {
  readonly screen: Screen;
  readonly #terminal: PseudoTerminal;
  readonly #waiting = new Set<Waiting>();
  #prompts = 0;
  /** Prompts there will have been when what was pasted has ended. */
  #started = 0;
  #status = 0;
  #folder = '';
  #trouble: Error | null = null;

  constructor({ cwd, env, columns = 120 }: ShellOptions) {
    this.screen = new Screen({ columns, rows: ROWS }, (said) => this.#heard(said));
    this.#terminal = openTerminal({
      command: ['bash', '--noprofile', '--norc', '--noediting', '-i'],
      cwd,
      env: {
        ...env,
        PS1: '',
        PS2: '',
        PROMPT_COMMAND: `printf '\\033]${PROMPTED}%s;%s\\007' "$?" "$PWD"`,
        HISTFILE: '',
        TERM: 'xterm-256color',
      },
      columns,
      rows: ROWS,
    });
    this.#terminal.output.on('data', (bytes: Uint8Array) => this.#show(bytes));
    void this.#terminal.ended.then(() => this.#fail(new Error('the shell has ended')));
  }

  /** Where it is: a reader sees that in the prompt. */
  get folder(): string {
    return this.#folder;
  }

  /** Waits for the prompt. */
  async ready(): Promise<void> {
    await this.#until(() => this.#prompts > 0);
  }

  /** Everything in one piece, as a terminal that was pasted into does. Resolves with the exit status. */
  async paste(text: string): Promise<number> {
    const before = this.#prompts;
    this.#type(text);
    await this.#until(() => this.#prompts > before);
    return this.#status;
  }

  /** The same for what goes on until somebody ends it: resolves when it has said `words`. */
  async pasteUntil(text: string, words: string): Promise<void> {
    const from = this.screen.row;
    this.#type(text);
    await this.#until(() => this.screen.text(from).some((line) => line.includes(words)));
  }

  /** Resolves when there is a prompt again. */
  async pressCtrlC(): Promise<void> {
    const before = this.#prompts;
    this.#terminal.type('\u0003');
    await this.#until(() => this.#prompts > before);
  }

  /** What still runs is ended as a person would end it: a server takes the end of its terminal for something else. */
  async close(): Promise<void> {
    if (this.#started > this.#prompts)
      await Promise.race([this.pressCtrlC().catch(() => {}), setTimeout(END_MS)]);
    this.#terminal.kill();
    await this.#terminal.ended;
  }

  #type(text: string): void {
    this.#started = this.#prompts + 1;
    this.#terminal.type(`{\n${text}\n}\n`);
  }

  #show(bytes: Uint8Array): void {
    try {
      this.screen.write(bytes);
    } catch (thrown) {
      this.#fail(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    for (const waiting of this.#waiting) if (waiting.isThere()) this.#leave(waiting).resolve();
  }

  #heard(said: string): void {
    if (!said.startsWith(PROMPTED)) return;
    this.#prompts++;
    const [status = '', ...folder] = said.slice(PROMPTED.length).split(';');
    this.#status = Number(status);
    this.#folder = folder.join(';');
  }

  #fail(error: Error): void {
    this.#trouble ??= error;
    for (const waiting of this.#waiting) this.#leave(waiting).reject(this.#trouble);
  }

  #leave(waiting: Waiting): Waiting {
    this.#waiting.delete(waiting);
    return waiting;
  }

  #until(isThere: () => boolean): Promise<void> {
    if (this.#trouble !== null) return Promise.reject(this.#trouble);
    if (isThere()) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { isThere, resolve, reject };
    this.#waiting.add(waiting);
    const leave = new AbortController();
    const late = () =>
      this.#leave(waiting).reject(new Error(`nothing came of it within ${LONGEST_MS / 1000} s`));
    setTimeout(LONGEST_MS, null, { signal: leave.signal, ref: false }).then(late, () => {});
    return promise.finally(() => leave.abort());
  }
}
