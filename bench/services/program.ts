import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';

const START_MS = 30_000;

export interface Program {
  stop(): Promise<void>;
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints when it takes work. */
  readonly ready: RegExp;
  readonly stopSignal?: NodeJS.Signals;
  /** For programs that refuse to run as root. */
  readonly asNobody?: boolean;
}

/** Starts a server and waits for its own word that it is ready; a server that ends before that is an error at once. */
export async function launch(options: Launch): Promise<Program> {
  const [command = '', ...args] = [...guard(options), options.command, ...options.args];
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output = (output + chunk).slice(-10_000);
      if (options.ready.test(output)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${options.command} ended with ${code}:\n${output}`)));
    setTimeout(() => reject(new Error(`${options.command} is not ready:\n${output}`)), START_MS).unref();
  });
  const stop = async () => {
    child.kill(options.stopSignal ?? 'SIGTERM');
    await ended;
  };
  try {
    await ready;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { stop };
}

/** On Linux the server dies with us, even when we are killed with -9. */
function guard({ asNobody = false }: Launch): string[] {
  if (!isInstalled('setpriv')) return [];
  const user = asNobody && isRoot() ? ['--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];
  return ['setpriv', '--pdeathsig', 'KILL', ...user, '--'];
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function isInstalled(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}
