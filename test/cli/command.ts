import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));

export type CommandEnd = { readonly status: number | null; readonly signal: NodeJS.Signals | null };

/** A command under way, with everything it writes. */
export type CommandProcess = {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves when either output matches; rejects when it ends before. */
  said(pattern: RegExp): Promise<void>;
  input(text: string): void;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<CommandEnd>;
};

export type CommandOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the program itself: a pseudo-terminal around it. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
};

export function runCommand(args: readonly string[], { cwd, env = {}, wrap }: CommandOptions): CommandProcess {
  const own = [process.execPath, program, ...args];
  const [file = '', ...rest] = wrap === undefined ? own : wrap(own);
  const child = spawn(file, rest, { cwd, env: { ...ownEnvironment(), ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  let over = false;
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const look of [...waiting]) look();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    tell();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    tell();
  });
  const ended = once(child, 'close').then(([status, signal]): CommandEnd => {
    over = true;
    tell();
    return { status, signal };
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    input: (text) => void child.stdin.write(text),
    kill: (signal) => void child.kill(signal),
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(stdout) || pattern.test(stderr)) resolve();
          else if (over) reject(new Error(`it ended without saying ${pattern}:\n${stdout}\n${stderr}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Without what the machine or another test says of Gleitzeit. */
function ownEnvironment(): Record<string, string | undefined> {
  const { env } = process;
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(GLEITZEIT_|DATABASE_URL|NO_COLOR|FORCE_COLOR|COLUMNS|NODE_OPTIONS|VITEST)/.test(name),
    ),
  );
}
