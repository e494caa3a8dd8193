import { writeFileSync } from 'node:fs';
import { entryOf, startProgram } from './program.ts';

export type Serving = {
  readonly url: string;
  /** Asks it to stop, and waits until it is gone. */
  end(): Promise<void>;
  /** Ends it with -9. */
  kill(): Promise<void>;
};

export type ServeOptions = {
  /** Where the configuration is written; JSON is YAML enough. */
  readonly file: string;
  readonly config: object;
  /** Told each line of its log that is not merely information. */
  readonly warned?: (line: string) => void;
};

/** `gleitzeit serve` as a process of its own; resolves when it listens. */
export async function serve({ file, config, warned = () => {} }: ServeOptions): Promise<Serving> {
  writeFileSync(file, JSON.stringify(config));
  const program = startProgram({
    args: ['serve', '--config', file],
    cwd: process.cwd(),
    env: ownEnvironment(),
    heard: (line) => {
      if (entryOf(line)?.['level'] !== 'info') warned(line);
    },
  });
  const endBy = async (signal: NodeJS.Signals) => {
    program.signal(signal);
    await program.ended;
  };
  const { url } = await program.logged({ message: 'listening' });
  return { url: String(url), end: () => endBy('SIGTERM'), kill: () => endBy('SIGKILL') };
}

/** Nothing of what the tests are told, or of what a person has set for another server. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const isOwn = ([name]: [string, unknown]) => !name.startsWith('GLEITZEIT_') && name !== 'DATABASE_URL';
  return Object.fromEntries(Object.entries(process.env).filter(isOwn));
}
