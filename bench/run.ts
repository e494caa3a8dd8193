/** Entry of `npm run bench`: plans the cells, runs each in a process of its own, prints one table. */
import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Assignment, Outcome } from './cell.ts';
import { probeMachine } from './machine.ts';
import { type Options, readOptions } from './options.ts';
import { installPeers } from './peers.ts';
import type { Absence, Cell, Failure, Report, Row } from './report.ts';
import { withStore } from './services.ts';
import type { Store } from './store.ts';
import type { System } from './system.ts';
import { loadSystem, OWN } from './systems.ts';
import { fillReadme, renderTable } from './table.ts';

const CELL = fileURLToPath(new URL('./cell.ts', import.meta.url));
/** A cell that has not answered by then never will. */
const CELL_LIMIT_MS = 15 * 60_000;
const RESULTS = new URL('./results/', import.meta.url);

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.systems.some((name) => name !== OWN)) installPeers();
  const now = new Date();
  const report = await runAll(options, now);
  mkdirSync(RESULTS, { recursive: true });
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '-');
  writeFileSync(new URL(`${stamp}.json`, RESULTS), `${JSON.stringify(report, undefined, 2)}\n`);
  if (options.markdown) fillReadme(report);
  process.stdout.write(`${renderTable(report)}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  process.exitCode = report.failed.length === 0 ? 0 : 1;
}

async function runAll(options: Options, now: Date): Promise<Report> {
  const machine = await probeMachine(now);
  const systems = await Promise.all(options.systems.map(loadSystem));
  const rows: Row[] = [];
  const absent: Absence[] = [];
  const failed: Failure[] = [];
  for (const [system, cell] of plan(options, systems)) {
    const reason = system.without[cell.workload];
    if (reason !== undefined) {
      absent.push({ ...cell, reason });
      continue;
    }
    const outcome = await runCell(cell, options.quick);
    if ('error' in outcome) {
      process.stderr.write(`${outcome.error}\n`);
      failed.push({ ...cell, error: outcome.error });
    } else if (outcome.summaries.length === 0) {
      absent.push({ ...cell, reason: 'no notion of it' });
    }
    const durability = system.durability[cell.store] ?? 'unknown';
    if ('summaries' in outcome) {
      rows.push(...outcome.summaries.map((summary) => ({ ...cell, durability, ...summary })));
    }
  }
  const notes = Object.fromEntries(systems.map(({ name, settings, notes }) => [name, [settings, ...notes]]));
  return { machine, quick: options.quick, rows, absent, failed, notes };
}

/** Workload by workload, so that the systems to compare run right after one another. */
function plan({ workloads, stores }: Options, systems: readonly System[]): [System, Cell][] {
  return workloads.flatMap((workload) =>
    systems
      .filter(({ name }) => name === OWN || !workload.ownOnly)
      .flatMap((system) =>
        storesOf(system, stores).map((store): [System, Cell] => [
          system,
          { workload: workload.id, system: system.name, store },
        ]),
      ),
  );
}

/** `--store` chooses between SQLite and Postgres; a system that knows neither of the chosen runs at home. */
function storesOf({ stores }: System, asked: readonly Store[]): readonly Store[] {
  const [home] = stores;
  const chosen = stores.filter((store) => asked.includes(store));
  const foreign = home !== 'sqlite' && home !== 'postgres';
  return chosen.length === 0 || (foreign && !chosen.includes(home)) ? [home, ...chosen] : chosen;
}

function runCell({ workload, system, store }: Cell, quick: boolean): Promise<Outcome> {
  process.stderr.write(`${workload} ${system} on ${store}\n`);
  return withStore(store, (place) => askChild({ workload, system, place, quick })).catch(
    (error: unknown) => ({
      error: error instanceof Error ? error.message : String(error),
    }),
  );
}

function askChild(assignment: Assignment): Promise<Outcome> {
  return new Promise((resolve) => {
    // Whatever a peer prints goes to stderr: stdout is for data.
    const child = fork(CELL, {
      stdio: ['ignore', 2, 2, 'ipc'],
      execArgv: ['--expose-gc', '--disable-warning=DeprecationWarning'],
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), CELL_LIMIT_MS);
    child.once('message', (outcome: Outcome) => resolve(outcome));
    child.once('exit', (code, signal) => {
      clearTimeout(limit);
      resolve({ error: `the process ended with ${signal ?? code}` });
    });
    child.send(assignment);
  });
}

await main();
