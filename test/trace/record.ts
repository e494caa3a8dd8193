import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs one task in the real engine and prints which modules of src/ were entered by it in this thread, and in which
 * order the functions named on the command line (`file#function`) were first called.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const stops = process.argv.slice(2).map((stop) => stop.split('#') as [file: string, name: string]);
const called: string[] = [];
Object.assign(globalThis, { tracedCall: (file: string) => called.includes(file) || called.push(file) });

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    const stop = stops.find(([file]) => url.endsWith(`/${file}`));
    if (stop === undefined || loaded.source === undefined) return loaded;
    return { ...loaded, source: announceCalls(String(loaded.source), stop) };
  },
});

/** The source with a note at the start of one function's body; the rest stays as it is. */
function announceCalls(source: string, [file, name]: [file: string, name: string]): string {
  const declaration = new RegExp(`^(export )?( *)(async )?(function )?${name}(<[^(]*>)?\\([^]*?\\{$`, 'gm');
  const bodies = [...source.matchAll(declaration)];
  const body = bodies.at(-1);
  if (body === undefined) throw new Error(`${file} has no function ${name}`);
  const at = body.index + body[0].length;
  return `${source.slice(0, at)} globalThis.tracedCall(${JSON.stringify(file)});${source.slice(at)}`;
}

const { createGleitzeit, protocol } = await import('../../src/index.ts');
const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-trace-'));
const echo = protocol({ name: 'echo/v1', methods: { echo: { params: { text: { type: 'string' } } } } });
const gleitzeit = await createGleitzeit({
  store: { type: 'sqlite', path: join(folder, 'store.db') },
  protocols: [echo],
  providers: [{ id: 'local', protocol: 'echo/v1', methods: { echo: ({ text = '' }) => ({ text }) } }],
});

async function oneTask(): Promise<void> {
  const { task_id } = await gleitzeit.submit({
    protocol: 'echo/v1',
    method: 'echo',
    params: { text: 'hello' },
  });
  await gleitzeit.result(task_id, { wait: 5000 });
}

// What is only needed the first time (opening, compiling schemas) is not the way of a task.
await oneTask();
called.length = 0;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await oneTask();
const { result } = await session.post('Profiler.takePreciseCoverage');
const entered = result
  .filter(({ url, functions }) => url.startsWith('file:') && functions.some(isCalled))
  .map(({ url }) => relative(root, fileURLToPath(url)))
  .filter((path) => path.startsWith('src'));

function isCalled({ functionName, ranges }: { functionName: string; ranges: { count: number }[] }): boolean {
  return functionName !== '' && ranges.some(({ count }) => count > 0);
}

await gleitzeit.stop();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ entered: entered.sort(), called }));
