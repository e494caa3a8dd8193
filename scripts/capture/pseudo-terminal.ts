import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

export type TerminalOptions = {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns: number;
  readonly rows: number;
  /** Whether what is typed is shown. */
  readonly echo?: boolean;
};

/** A program on a real terminal of its own: `script`, which every Debian has, opens one. */
export type PseudoTerminal = {
  readonly output: Readable;
  type(text: string): void;
  /** The exit status of the program. */
  readonly ended: Promise<number | null>;
  /** Takes the terminal away, as closing its window does. */
  kill(): void;
};

export function openTerminal(options: TerminalOptions): PseudoTerminal {
  const { command, cwd, env, columns, rows, echo = false } = options;
  const size = `stty cols ${columns} rows ${rows} ${echo ? 'echo' : '-echo'}`;
  const line = `${size} && exec ${command.map(quoted).join(' ')}`;
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', line, '/dev/null'],
    { cwd, env: { ...env, SHELL: '/bin/sh' }, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  // Whoever has gone reads nothing more: what was typed too late is nobody's.
  child.stdin.on('error', () => {});
  return {
    output: child.stdout,
    type: (text) => void child.stdin.write(text),
    ended: once(child, 'close').then(([code]) => code as number | null),
    kill: () => void child.kill('SIGKILL'),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
