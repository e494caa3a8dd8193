import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sourceStamp } from '../bin/source-stamp.js';
import { projectRoot } from './source/files.ts';

/*
 * Puts the sources of the program into a few files: reading four hundred takes most of the time of a command that ends in
 * a moment. `node scripts/bundle.ts dist/program` for the package; into .cache for a clone, whose program uses it
 * for as long as no source has changed, and the sources themselves otherwise.
 */

const src = join(projectRoot, 'src');
const main = join(src, 'cli/main.ts');
/** What each thread of the store begins with: it does its work when it is loaded. */
const threads = ['writer', 'reader'].map((name) => join(src, `store/sqlite/${name}.ts`));

/** A process of its own, which stands before a program where faults are made. */
const wrapper = join(src, 'faults/stdio-program.ts');
const entries = [main, ...threads, wrapper];

/** What stands on a large dependency stays apart: it is loaded where it is used. */
const apart = [
  'store/postgres/',
  'store/cache/',
  'telemetry/',
  'bridge/kafka/',
  'bridge/redis/',
  'bridge/rabbitmq/',
  'rpc/listener/',
  'rpc/http/',
  'rpc/websocket/',
  'faults/',
  'main/faults.ts',
  'main/faulty-channels.ts',
  'main/bridge.ts',
  'main/bridge-face.ts',
  'main/bridge-house.ts',
  'main/server.ts',
  'main/observation.ts',
  'main/log.ts',
  'main/zone.ts',
  'main/zone-here.ts',
  'main/zone-gateway.ts',
  'main/zone-stdio.ts',
  'main/league/',
  'main/zone-carriers.ts',
  'main/agent-check.ts',
  'zone/carriers/',
  'zone/gateway/',
  'league/',
  'cli/commands/',
];

type ModuleInfo = { readonly importedIds: readonly string[] };
type Modules = { getModuleInfo(id: string): ModuleInfo | null };

/** A module and all of ours that it cannot do without. */
function closureOf(modules: Modules, ...entries: string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (id: string) => {
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) {
      if (!next.startsWith(src) || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  for (const entry of entries) visit(entry);
  return found;
}

/**
 * The chunk that a module belongs to; null where that is left to the bundler. A command begins with the frame, a thread of
 * the store with its own part: each thread reads and keeps whatever it imports once more. So does each wrapper of a program.
 */
function chunkOf(): (id: string, modules: Modules) => string | null {
  let frame: ReadonlySet<string> | null = null;
  let thread: ReadonlySet<string> | null = null;
  let wrapped: ReadonlySet<string> | null = null;
  return (id, modules) => {
    if (!id.startsWith(src) || entries.includes(id)) return null;
    frame ??= closureOf(modules, main);
    thread ??= closureOf(modules, ...threads);
    if (frame.has(id)) return thread.has(id) ? 'base' : 'frame';
    if (thread.has(id)) return 'thread';
    wrapped ??= closureOf(modules, wrapper);
    if (wrapped.has(id)) return 'wrapper';
    const path = id.slice(src.length + 1);
    return apart.some((start) => path.startsWith(start)) ? null : 'program';
  };
}

async function bundle(folder: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    root: projectRoot,
    configFile: false,
    logLevel: 'silent',
    ssr: { external: true },
    build: {
      ssr: true,
      target: 'node24',
      minify: false,
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: {
        // Threads and wrappers find theirs by name, beside whatever starts them.
        input: entries,
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // Files of the bundle may need one another in a circle where modules do not: each module still runs after what it needs.
          strictExecutionOrder: true,
          codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf() }] },
        },
      },
    },
  });
}

/** Programs that run load their parts when they need them: what the last few were started from stays. */
const KEPT = 3;

/** Under the stamp of the sources, and there at once as a whole: others may start from it at any time. */
async function bundleForClone(): Promise<void> {
  const folder = join(projectRoot, '.cache');
  const made = join(folder, `program-${sourceStamp(src)}`);
  if (existsSync(made)) return;
  const making = join(folder, `program-making-${process.pid}`);
  await bundle(making);
  renameSync(making, made);
  const age = (name: string) => statSync(join(folder, name)).mtimeMs;
  const old = readdirSync(folder)
    .filter((name) => name.startsWith('program'))
    .toSorted((a, b) => age(b) - age(a));
  for (const name of old.slice(KEPT)) rmSync(join(folder, name), { recursive: true, force: true });
}

const [, , named] = process.argv;
if (named !== undefined) await bundle(resolve(projectRoot, named));
else {
  await bundleForClone().catch((thrown: unknown) => {
    // A clone runs without it, only not as fast.
    const reason = String(thrown);
    process.stderr.write(`the program was not put into few files, and runs from its sources: ${reason}\n`);
  });
}
