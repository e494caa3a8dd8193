import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../test/services/free-port.ts';
import { cpuSeconds } from './cpu.ts';

export const PROGRAM = fileURLToPath(new URL('../bin/gleitzeit.js', import.meta.url));
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 20;
const KILOBYTE = 1024;

export interface Server {
  /** Where it takes JSON-RPC. */
  readonly url: string;
  /** Bytes of memory its process holds now. */
  residentBytes(): Promise<number>;
  /** Seconds of a core it has used since its start. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

/** What a server shows by its files, and what a client shows it. */
export type BenchTls = {
  readonly files: { readonly cert: string; readonly key: string; readonly client_ca: string };
  readonly client: { readonly ca: string; readonly cert: string; readonly key: string };
};

/** `gleitzeit serve` as anybody starts it, in a process of its own; resolved when it takes work. */
export async function startServer(folder: string, configuration: object, tls?: BenchTls): Promise<Server> {
  const port = await freePort();
  const file = join(folder, 'gleitzeit.json');
  await writeFile(
    file,
    JSON.stringify({ server: { host: '127.0.0.1', port, ...tlsFiles(tls) }, ...configuration }),
  );
  const child = startBound([PROGRAM, 'serve', '--config', file], folder);
  const gone = once(child, 'exit');
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  await Promise.race([
    healthy(`${origin}/health`, tls),
    gone.then(([code]) => Promise.reject(new Error(`the server ended with ${code} before it was ready`))),
  ]);
  return {
    url: `${origin}/rpc`,
    residentBytes: () => residentBytes(child.pid ?? 0),
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM');
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      await gone;
      clearTimeout(limit);
    },
  };
}

/** Where the system can, it is killed with this process, even when that is killed with -9. */
export function startBound(args: readonly string[], cwd: string, said: 2 | 'pipe' = 2): ChildProcess {
  const bound = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL'] : [];
  const [command = process.execPath, ...rest] = [...bound, process.execPath, ...args];
  return spawn(command, rest, { cwd, stdio: ['ignore', 2, said] });
}

async function healthy(url: string, tls?: BenchTls): Promise<void> {
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  for (;;) {
    if (await isHealthy(url, tls)) return;
    await pause(POLL_MS, undefined, { signal: limit });
  }
}

function isHealthy(url: string, tls?: BenchTls): Promise<boolean> {
  if (tls === undefined)
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  const { ca, ...own } = tls.client;
  return new Promise((resolve) => {
    const asked = get(url, { ca, ...own, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
  });
}

function tlsFiles(tls: BenchTls | undefined) {
  return tls === undefined ? {} : { tls: tls.files };
}

async function residentBytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) * KILOBYTE;
}
