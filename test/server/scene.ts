import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Program, startProgram } from './program.ts';

export type Server = Program & { readonly url: string };

export type ServeOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Its file of configuration; another one for each server that runs at the same time. */
  readonly file?: string;
};

/** A folder of its own and whatever is started in it. Nothing of it is left after `close`. */
export type Scene = {
  readonly folder: string;
  /** Puts a file there at once, as editors do: nobody reads half of it. */
  write(name: string, content: string | Uint8Array | object): string;
  remove(name: string): void;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Program;
  /** `gleitzeit serve` with that configuration, once it listens. */
  serve(config: object, options?: ServeOptions): Promise<Server>;
  /** Ends what still runs, and throws where something is left besides. */
  close(): Promise<void>;
};

export function openScene(): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-server-'));
  const scratch = join(folder, 'tmp');
  mkdirSync(scratch);
  const running = new Set<Program>();

  const write: Scene['write'] = (name, content) => {
    const path = join(folder, name);
    const plain = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(`${path}.new`, plain ? content : JSON.stringify(content, null, 2), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    return path;
  };
  const start: Scene['start'] = (args, env = {}) => {
    const program = startProgram({ args, cwd: folder, env: { ...ownEnvironment(scratch), ...env } });
    running.add(program);
    void program.ended.then(() => running.delete(program));
    return program;
  };
  return {
    folder,
    write,
    remove: (name) => rmSync(join(folder, name)),
    start,
    serve: async (config, { env, file = 'gleitzeit.yaml' } = {}) => {
      const program = start(['serve', '--config', write(file, config)], env);
      const { url } = await program.logged({ message: 'listening' });
      return { ...program, url: String(url) };
    },
    close: async () => {
      for (const program of running) program.signal('SIGKILL');
      await Promise.all([...running].map(({ ended }) => ended));
      const left = [...readdirSync(scratch), ...(await processesOf(folder))];
      rmSync(folder, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`left behind: ${left.join('\n')}`);
    },
  };
}

/** Nothing of what the tests are told, or of what a person has set for another server. */
function ownEnvironment(scratch: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, TMPDIR: scratch };
}

/** Whoever was started there has the folder among its arguments. */
async function processesOf(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  return stdout.split('\n').filter((line) => line.includes(folder));
}
