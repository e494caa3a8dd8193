import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

export type User = { readonly uid: number; readonly gid: number };

export type Service = {
  readonly pid: number;
  /** Sends the signal and waits until the process is gone; nothing to do when it already is. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Stops it in its tracks, as a machine that hangs, or lets it go on. */
  freeze(frozen: boolean): Promise<void>;
};

type ServiceOptions = {
  readonly command: string;
  readonly args: readonly string[];
  /** The line of its own log that says it takes work. */
  readonly ready: RegExp;
  readonly user?: User | undefined;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};

const execFilePromise = promisify(execFile);

/** Servers that refuse root run as nobody; anyone else runs them as himself. */
export async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, 'nobody'])).trim());
  return { uid: await id('-u'), gid: await id('-g') };
}

export async function run(command: string, args: readonly string[], user?: User): Promise<string> {
  const { stdout } = await execFilePromise(command, [...args], { ...user, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const child = spawnBound(options);
  const gone = once(child, 'close');
  // A failed spawn rejects `gone`; whoever waits below sees it, and nobody else needs to.
  gone.catch(() => undefined);
  await becomesReady(child, options);
  return {
    pid: child.pid ?? 0,
    async end(signal) {
      child.kill(signal);
      await gone;
    },
    freeze: (frozen) => freeze(child, frozen),
  };
}

/** Stops a process in its tracks, or lets it go on; resolves when it does. */
export async function freeze(child: ChildProcess, frozen: boolean): Promise<void> {
  child.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
  if (process.platform !== 'linux') return;
  // The signal is only sent: a busy system may let it run on for a while.
  while (((await stateOf(child)) === 'T') !== frozen) await setTimeout(5);
}

async function stateOf({ pid }: ChildProcess): Promise<string | undefined> {
  const told = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return told.slice(told.lastIndexOf(')') + 2)[0];
}

/** Where the system can, the service is killed with its parent, even when that is killed with -9. */
function spawnBound({ command, args, user, cwd, env }: ServiceOptions): ChildProcess {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const options = { stdio, cwd, env: { ...process.env, ...env } };
  if (process.platform !== 'linux') return spawn(command, [...args], { ...user, ...options });
  const as = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  return spawn('setpriv', ['--pdeathsig', 'KILL', ...as, command, ...args], options);
}

function becomesReady(child: ChildProcess, { command, ready }: ServiceOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    const read = (chunk: Buffer): void => {
      log = (log + chunk.toString()).slice(-8_000);
      if (ready.test(log)) resolve();
    };
    // The pipes are read to the end of the service: a full one would stop it.
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('close', (code) =>
      reject(new Error(`${command} ended with ${code} before it was ready:\n${log}`)),
    );
  });
}
