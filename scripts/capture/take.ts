import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../source/files.ts';
import { openTerminal } from './pseudo-terminal.ts';
import type { Scene } from './scenes.ts';
import { Screen } from './screen.ts';

const execute = promisify(execFile);
const program = [process.execPath, join(projectRoot, 'bin', 'gleitzeit.js')] as const;
const ROWS = 40;

export type Taken = { readonly screen: Screen; readonly bytes: string; readonly status: number | null };

/** A folder of its own with the example in it, for as long as `use` takes. */
export async function onStage<Result>(scene: Scene, use: (stage: Stage) => Promise<Result>): Promise<Result> {
  const place = await mkdtemp(join(tmpdir(), 'gleitzeit-'));
  const folder = join(place, scene.example.replace(/^\d+-/, ''));
  try {
    await cp(join(projectRoot, 'examples', scene.example), folder, { recursive: true, filter: isNoStore });
    for (const [name, text] of Object.entries(scene.files ?? {})) await writeFile(join(folder, name), text);
    const stage = new Stage(folder, scene);
    for (const args of scene.before ?? []) await stage.piped(args);
    return await use(stage);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function isNoStore(path: string): boolean {
  return !path.includes('.gleitzeit/') && !path.endsWith('.gleitzeit');
}

export class Stage {
  readonly #folder: string;
  readonly #scene: Scene;

  constructor(folder: string, scene: Scene) {
    this.#folder = folder;
    this.#scene = scene;
  }

  /** The scene on a real terminal. */
  async taken(columns: number, more: NodeJS.ProcessEnv = {}): Promise<Taken> {
    const { until } = this.#scene;
    const screen = new Screen({ columns, rows: ROWS });
    const command = [...program, ...(await this.#command())];
    const terminal = openTerminal({
      command,
      cwd: this.#folder,
      env: environment(more),
      columns,
      rows: ROWS,
    });
    let bytes = '';
    const reached = new Promise<void>((resolve) => {
      terminal.output.on('data', (chunk: Buffer) => {
        bytes += chunk.toString('latin1');
        screen.write(chunk);
        if (until === undefined || !screen.text().some((line) => line.includes(until))) return;
        terminal.output.removeAllListeners('data').resume();
        resolve();
      });
    });
    const status = await Promise.race([terminal.ended, reached.then(() => null)]);
    if (status === null) terminal.kill();
    await terminal.ended;
    return { screen, bytes, status };
  }

  /** The scene without a terminal. */
  async shownInPipe(more: NodeJS.ProcessEnv = {}): Promise<Piped> {
    return this.piped(await this.#command(), more);
  }

  async piped(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Piped> {
    const [node, file] = program;
    const options = { cwd: this.#folder, env: environment(more) };
    return execute(node, [file, ...args], options).then(
      ({ stdout, stderr }) => ({ stdout, stderr, status: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => ({ ...error, status: error.code }),
    );
  }

  async #command(): Promise<string[]> {
    const { command } = this.#scene;
    if (!command.includes('$RUN')) return [...command];
    const { stdout } = await this.piped(['list', '-o', 'name']);
    const [run = ''] = stdout.split('\n');
    return command.map((word) => (word === '$RUN' ? run : word));
  }
}

export type Piped = { readonly stdout: string; readonly stderr: string; readonly status: number };

/** What somebody's terminal says of itself, and nothing that would change what is shown. */
function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...more };
}
