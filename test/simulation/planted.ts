import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const bugs = join(import.meta.dirname, 'bugs');
const run = promisify(execFile);

export type Verdict = {
  readonly seeds: number;
  readonly violations: number;
  readonly first_failing_seed: number | null;
  readonly seconds: number;
};

export type PlantedBug = {
  readonly name: string;
  readonly patch: string;
  readonly why: string;
  /** The seed that found it last, in seeds.json: tried first, since most still do. */
  readonly lastFound: number | null;
};

export async function plantedBugs(): Promise<PlantedBug[]> {
  const seeds = new Map(Object.entries<number>(JSON.parse(await readFile(join(bugs, 'seeds.json'), 'utf8'))));
  const files = (await readdir(bugs)).filter((file) => file.endsWith('.patch')).sort();
  return Promise.all(
    files.map(async (file) => {
      const patch = join(bugs, file);
      const [why = ''] = (await readFile(patch, 'utf8')).split('\n');
      const name = file.replace('.patch', '');
      return { name, patch, why, lastFound: seeds.get(name) ?? null };
    }),
  );
}

/** A copy of the engine and its simulation, to be broken at will. */
export async function copyOfTheCode(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'gleitzeit-bug-'));
  const rooms = ['src/core', 'src/engine', 'src/store/simulated', 'test/simulation'];
  for (const room of rooms) await cp(join(root, room), join(path, room), { recursive: true });
  for (const file of ['bisect.ts', 'hash.ts', 'steady-clock.ts']) {
    await cp(join(root, 'src/store', file), join(path, 'src/store', file));
  }
  await writeFile(join(path, 'package.json'), '{"type":"module"}');
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Throws, with what git says, when the code has moved on and the patch no longer fits it. */
export function apply(path: string, patch: string): Promise<void> {
  return git(path, 'apply', '-C1', '--whitespace=nowarn', patch);
}

export function takeBack(path: string, patch: string): Promise<void> {
  return git(path, 'apply', '-R', '-C1', '--whitespace=nowarn', patch);
}

async function git(path: string, ...args: string[]): Promise<void> {
  // In a folder of some repository git would leave out, without a word, what it does not track.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(path) };
  await run('git', args, { cwd: path, env });
}

/** Runs the simulation of a copy until its first violation. */
export async function simulateIn(path: string, seeds: number, from = 1): Promise<Verdict> {
  const range = ['--seeds', String(seeds), '--from', String(from)];
  const args = ['test/simulation/run.ts', '--json', '--first', '--lines', '0', ...range];
  // A violation is an exit status of its own; what was found is on the last line either way.
  // What one run has compiled the next ones take as it is, but for the file that a patch changed.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(path, '.compiled') };
  const { stdout } = await run(process.execPath, args, { cwd: path, env, maxBuffer: 1 << 26 }).catch(
    (thrown: unknown) => thrown as { stdout: string },
  );
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Verdict;
}
