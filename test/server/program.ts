import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type LogEntry = { readonly [field: string]: unknown };
export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** `gleitzeit` as a process of its own, with everything it writes. */
export type Program = {
  readonly pid: number;
  readonly log: readonly LogEntry[];
  /** All of both outputs so far. */
  output(): string;
  /** The first entry with these fields, from the `after`th entry of the log on. Rejects when the program ends before. */
  logged(fields: LogEntry, after?: number): Promise<LogEntry>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
};

export type ProgramOptions = {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Told each line of both outputs. */
  readonly heard?: (line: string) => void;
  /** Another program than `gleitzeit`. */
  readonly file?: string;
};

const gleitzeit = fileURLToPath(new URL('../../bin/gleitzeit.js', import.meta.url));

export function startProgram(options: ProgramOptions): Program {
  const { args, cwd, env, heard = () => {}, file = gleitzeit } = options;
  const [command, ...rest] = bound([process.execPath, file, ...args]);
  const child = spawn(command, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const log: LogEntry[] = [];
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const look of waiting) look();
  };
  const read = (line: string) => {
    lines.push(line);
    heard(line);
    const entry = entryOf(line);
    if (entry !== null) log.push(entry);
    tell();
  };
  createInterface({ input: child.stdout }).on('line', read);
  createInterface({ input: child.stderr }).on('line', read);
  const output = () => lines.join('\n');
  let over = false;
  // `close`, not `exit`: by then everything it wrote has been read.
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    over = true;
    tell();
    return { code, signal };
  });
  return {
    pid: child.pid ?? 0,
    log,
    output,
    ended,
    signal: (signal) => void child.kill(signal),
    logged: (fields, after = 0) =>
      new Promise((resolve, reject) => {
        const wanted = Object.entries(fields);
        const look = () => {
          const found = log
            .slice(after)
            .find((entry) => wanted.every(([key, value]) => entry[key] === value));
          if (found !== undefined) resolve(found);
          else if (over) reject(new Error(`it ended without saying ${JSON.stringify(fields)}:\n${output()}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Where the system can, it is killed with whoever started it, even when that is killed with -9. */
function bound(command: [string, ...string[]]): [string, ...string[]] {
  return process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', ...command] : command;
}

/** A line of the log, or null where it is none. */
export function entryOf(line: string): LogEntry | null {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? (entry as LogEntry) : null;
  } catch {
    return null;
  }
}
