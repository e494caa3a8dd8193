import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Block, blocksOf } from '../../scripts/documents/blocks.ts';
import { difference } from '../../scripts/documents/compare.ts';
import { Shell } from './shell.ts';

export type FollowOptions = {
  /** Where the reader begins. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** What a page says of this machine that a test must say differently: ports. */
  readonly instead?: ReadonlyMap<string, string>;
};

/** What there is of a page that was followed. */
export type Followed = { readonly blocks: number; readonly outputs: number };

/**
 * Does what a page says, to the letter. Blocks with `file=` are files to be made; `sh` is pasted into a terminal, `terminal=2`
 * into a second one; `until="…"` goes on after these words are to be read; `press=ctrl-c` is a key; `exit=1` is how it ends.
 * `text` is what is then to be read on that terminal. Files and terminals are in the folder the first terminal is in.
 */
export async function follow(text: string, options: FollowOptions): Promise<Followed> {
  const reader = new Reader(options);
  try {
    for (const block of blocksOf(text)) await reader.obey(block);
    return reader.followed;
  } finally {
    await reader.leave();
  }
}

class Reader {
  readonly #options: FollowOptions;
  readonly #shells = new Map<string, Shell>();
  #folder: string;
  /** The terminal that was used last, and the row its output began in. */
  #last: { readonly shell: Shell; readonly from: number } | null = null;
  #blocks = 0;
  #outputs = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#folder = options.folder;
  }

  get followed(): Followed {
    return { blocks: this.#blocks, outputs: this.#outputs };
  }

  async obey(block: Block): Promise<void> {
    const { language, attributes, line } = block;
    const { file } = attributes;
    try {
      if (file !== undefined) await this.#make(file, block.text);
      else if (language === 'sh') await this.#run(block);
      else if (language === 'text') this.#compare(block);
      else return;
    } catch (thrown) {
      throw new Error(`line ${line}: ${thrown instanceof Error ? thrown.message : thrown}\n${this.#seen()}`);
    }
    this.#blocks++;
  }

  async leave(): Promise<void> {
    await Promise.all([...this.#shells.values()].map((shell) => shell.close()));
  }

  async #make(file: string, text: string): Promise<void> {
    const path = join(this.#folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, this.#instead(text));
  }

  async #run({ attributes, text }: Block): Promise<void> {
    const { terminal = '1', until, press, exit = '0' } = attributes;
    const shell = await this.#shell(terminal);
    this.#last = { shell, from: shell.screen.row };
    if (press === 'ctrl-c') await shell.pressCtrlC();
    else if (until !== undefined) await shell.pasteUntil(this.#instead(text), this.#instead(until));
    else await this.#paste(shell, { text: this.#instead(text), exit: Number(exit), terminal });
  }

  async #paste(shell: Shell, { text, exit, terminal }: { text: string; exit: number; terminal: string }) {
    const status = await shell.paste(text);
    if (status !== exit) throw new Error(`it ended with status ${status} instead of ${exit}`);
    if (terminal === '1') this.#folder = shell.folder;
  }

  #compare({ text }: Block): void {
    if (this.#last === null) throw new Error('nothing was run before this output');
    const { shell, from } = this.#last;
    const trouble = difference(this.#instead(text), shell.screen.text(from));
    if (trouble !== null) throw new Error(trouble);
    this.#outputs++;
  }

  async #shell(name: string): Promise<Shell> {
    const known = this.#shells.get(name);
    if (known !== undefined) return known;
    const shell = new Shell({ cwd: this.#folder, env: this.#options.env });
    this.#shells.set(name, shell);
    await shell.ready();
    return shell;
  }

  #instead(text: string): string {
    let changed = text;
    for (const [said, meant] of this.#options.instead ?? []) changed = changed.replaceAll(said, meant);
    return changed;
  }

  #seen(): string {
    const { shell, from } = this.#last ?? {};
    return shell === undefined ? '' : `on the terminal:\n${shell.screen.text(from).join('\n')}`;
  }
}
