import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nothingLeft, processesOf } from '../cli/left.ts';
import { type Program, startProgram } from '../server/program.ts';
import type { Leftovers } from './held.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export type Served = Program & {
  readonly url: string;
  /** Asks it to stop, and tells what was left when it had. */
  stop(): Promise<Leftovers>;
};

export type ProgramKind = `${'' | 'stubborn-'}${'detached' | 'orphaning'}` | 'agent' | 'stubborn';

/** A folder in which a server runs, with whatever that starts. */
export type Place = {
  /** The command of a program over stdio with a child of its own. */
  program(kind: ProgramKind): string[];
  configure(config: object): void;
  /** With `faults` it makes these on the way to all that it calls. */
  serve(config: object, more?: { readonly faults?: string }): Promise<Served>;
  /** A program with an engine inside, which stops it by itself. */
  embedded(): Program;
  /** Command lines of the programs that run here, the server apart. */
  programs(): string[];
  close(): Promise<void>;
};

export function openPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-leftovers-'));
  const agent = join(folder, 'agent.cjs');
  copyFileSync(file('./program-with-child.cjs'), agent);
  const path = join(folder, 'gleitzeit.json');
  let running: Program | null = null;
  const configure = (config: object) => {
    writeFileSync(`${path}.new`, JSON.stringify(config));
    renameSync(`${path}.new`, path);
  };
  const start = (name: string, ...args: string[]): Program => {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, TMPDIR: folder, TOKEN: 'a-secret' };
    running = startProgram({ args, cwd: folder, env, file: file(name) });
    return running;
  };
  return {
    program: (kind) => [process.execPath, agent, kind],
    configure,
    embedded: () => start('./embedded-process.ts', join(folder, 'store.db')),
    serve: async (config, { faults } = {}) => {
      configure(config);
      const program = start('./server-process.ts', path, ...(faults === undefined ? [] : [faults]));
      const { url } = await program.logged({ message: 'listening' });
      const stop = async () => {
        program.signal('SIGTERM');
        return leftBy(program);
      };
      return { ...program, url: String(url), stop };
    },
    programs: () =>
      processesOf(folder)
        .map(({ command }) => command)
        .filter((command) => command.includes(agent)),
    close: async () => {
      running?.signal('SIGTERM');
      await running?.ended;
      await nothingLeft(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
    },
  };
}

/** What a program says is left of what it had open. */
export async function leftBy(program: Program): Promise<Leftovers> {
  const { resources, files, children, timers } = await program.logged({ message: 'stopped' });
  return { resources, files, children, timers } as Leftovers;
}
