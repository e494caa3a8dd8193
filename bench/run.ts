/** Entry of `npm run bench`: plans the cells, runs each in a process of its own, prints one table. */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { BareAssignment, BareRates } from './bare.ts';
import type { Assignment, Outcome } from './cell.ts';
import { probeMachine } from './machine.ts';
import { type Options, readOptions } from './options.ts';
import { installPeers } from './peers.ts';
import { ask, startAgent } from './processes.ts';
import type { Absence, Cell, Failure, Report, Row } from './report.ts';
import { withStore } from './services.ts';
import { withShares } from './shares.ts';
import type { Store } from './store.ts';
import type { System } from './system.ts';
import { loadSystem, OWN } from './systems.ts';
import { fillReadme, renderTable } from './table.ts';
import { findWorkload } from './workloads.ts';

/** A cell that has not answered by then never will. */
const CELL_LIMIT_MS = 15 * 60_000;
const RESULTS = new URL('./results/', import.meta.url);

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.systems.some((name) => name !== OWN)) installPeers();
  const now = new Date();
  const report = await runAll(options, now);
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
  const notes = Object.fromEntries(systems.map(({ name, settings, notes }) => [name, [settings, ...notes]]));
  const report: Report = { machine, quick: options.quick, rows, absent, failed, notes };
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
    keep(report, now);
  }
  return report;
}

/** After every cell: a run takes an hour, and what was measured before it is stopped counts. */
function keep(report: Report, now: Date): void {
  mkdirSync(RESULTS, { recursive: true });
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '-');
  writeFileSync(new URL(`${stamp}.json`, RESULTS), `${JSON.stringify(report, undefined, 2)}\n`);
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

async function runCell(cell: Cell, quick: boolean): Promise<Outcome> {
  process.stderr.write(`${cell.workload} ${cell.system} on ${cell.store}\n`);
  try {
    return await (findWorkload(cell.workload).agent ? besideBareLoop(cell, quick) : measure(cell, quick));
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function measure({ workload, system, store }: Cell, quick: boolean, agent?: string): Promise<Outcome> {
  return withStore(store, (place) => {
    const where = agent === undefined ? place : { ...place, agent };
    const assignment: Assignment = { workload, system, place: where, quick };
    return ask<Outcome>('./cell.ts', assignment, CELL_LIMIT_MS);
  });
}

/** The machine's pace changes within minutes, so the bare loop runs around every cell it is compared with. */
async function besideBareLoop(cell: Cell, quick: boolean): Promise<Outcome> {
  const agent = await startAgent();
  const assignment: BareAssignment = { agent: agent.url, quick };
  try {
    const before = await ask<BareRates>('./bare.ts', assignment, CELL_LIMIT_MS);
    const outcome = await measure(cell, quick, agent.url);
    if ('error' in outcome) return outcome;
    const after = await ask<BareRates>('./bare.ts', assignment, CELL_LIMIT_MS);
    return { summaries: withShares(outcome.summaries, [before, after]) };
  } finally {
    await agent.stop();
  }
}

await main();
