import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemTimers } from '../../src/embedded/system.ts';
import type { StoreOptions } from '../../src/index.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { lineLogger } from '../../src/telemetry/logger.ts';
import { freshDatabase, startPostgres } from '../services/postgres.ts';
import { type ChaosOptions, readArguments, seededRandom } from './arguments.ts';
import { foldDifferences } from './fold-check.ts';
import { end, kill, type Life, Lives } from './lives.ts';
import { Outside } from './outside.ts';
import type { Verdict } from './verdict.ts';
import { judgePostgres } from './verdict-postgres.ts';
import { judgeSqlite } from './verdict-sqlite.ts';

/** A kill counts only with this many calls under way. */
const IN_FLIGHT = 50;

const options = readArguments(process.argv.slice(2));
const random = seededRandom(options.seed);
const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-chaos-'));
const say = (text: string) => void process.stderr.write(`${text}\n`);

type Place = { readonly store: StoreOptions; close(): Promise<void> };
type Tally = { accepted: number; ms: number; inFlight: number[]; recovery: number[] };

async function openPlace(): Promise<Place> {
  if (options.store === 'sqlite') {
    return { store: { type: 'sqlite', path: join(folder, 'store.db') }, close: async () => {} };
  }
  const given = process.env['GLEITZEIT_TEST_POSTGRES_URL'];
  const server = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  const database = await freshDatabase(server.url);
  const close = async () => {
    await database.drop();
    await server.stop();
  };
  return { store: { type: 'postgres', url: database.url }, close };
}

/** Kills one engine after another at random moments and starts each again; the last lives end by themselves. */
async function play(lives: Lives, outside: Outside): Promise<Tally> {
  const tally: Tally = { accepted: 0, ms: 0, inFlight: [], recovery: [] };
  const began = performance.now();
  const engines: Life[] = [];
  for (let index = 0; index < options.engines; index++) engines.push(await lives.start());
  for (let kills = 0; kills < options.kills; kills++) {
    const victim = Math.floor(random() * engines.length);
    engines[victim] = await killAndRestart(engines[victim] as Life, { lives, outside, tally });
    if (kills % 10 === 9) say(`${kills + 1} kills, ${outside.acceptedTasks} tasks accepted`);
  }
  const left = options.seconds * 1000 - (performance.now() - began);
  if (left > 0) await pause(left);
  outside.finish();
  await settle(engines, outside);
  return tally;
}

async function killAndRestart(
  life: Life,
  { lives, outside, tally }: { lives: Lives; outside: Outside; tally: Tally },
): Promise<Life> {
  const before = outside.acceptedTasks;
  const began = performance.now();
  await life.line.firstCompletion;
  await pause(random() * 300);
  while (life.line.inFlight.size < IN_FLIGHT) await pause(2);
  tally.inFlight.push(life.line.inFlight.size);
  tally.accepted += outside.acceptedTasks - before;
  tally.ms += performance.now() - began;
  const killedAt = performance.now();
  await kill(life);
  const next = await lives.start();
  tally.recovery.push((await next.line.firstCompletion) - killedAt);
  return next;
}

/** Everything accepted is given the time to finish, then the engines are asked to stop. */
async function settle(engines: readonly Life[], outside: Outside): Promise<void> {
  let quietSince = performance.now();
  while (performance.now() - quietSince < 3000) {
    const busy =
      outside.unanswered > 0 || engines.some(({ line }) => line.inFlight.size > 0 || line.pending.size > 0);
    if (busy) quietSince = performance.now();
    await pause(50);
  }
  for (const life of engines) await end(life);
}

async function judge(store: StoreOptions, outside: Outside): Promise<Verdict & { fold_differences: number }> {
  const accepted = [...outside.accepted.values()].flat();
  const logger = lineLogger(
    'error',
    (line) => process.stderr.write(line),
    () => new Date(),
  );
  const opened =
    store.type === 'postgres'
      ? await openPostgresStore({ url: store.url, timers: systemTimers, logger })
      : await openSqliteStore({ path: store.path ?? '', clock: systemClock, logger });
  const fold_differences = await foldDifferences(opened.reads);
  await opened.close();
  const verdict =
    store.type === 'postgres'
      ? await judgePostgres(store.url, accepted)
      : judgeSqlite(store.path ?? '', accepted);
  return { ...verdict, fold_differences };
}

function report(verdict: Verdict & { fold_differences: number }, tally: Tally, outside: Outside) {
  const recovery = [...tally.recovery].sort((a, b) => a - b);
  const executions = [...outside.executed.values()].reduce((sum, count) => sum + count, 0);
  return {
    store: options.store,
    engines: options.engines,
    kills: tally.recovery.length,
    accepted: outside.acceptedTasks,
    ...verdict,
    contradicted: outside.contradictions.length,
    redelivered: executions - outside.executed.size,
    accepted_per_second: Math.round((tally.accepted / Math.max(1, tally.ms)) * 1000),
    in_flight_at_kill: { min: Math.min(...tally.inFlight), max: Math.max(...tally.inFlight) },
    recovery: tally.recovery.map(Math.round),
    recovery_ms: {
      p50: Math.round(recovery[Math.floor(recovery.length / 2)] ?? 0),
      max: Math.round(recovery.at(-1) ?? 0),
    },
    seed: options.seed,
  };
}

function holds(result: ReturnType<typeof report>): boolean {
  const faults = [
    result.lost,
    result.recorded_twice,
    result.event_gaps,
    result.fold_differences,
    result.contradicted,
  ];
  return result.kills === options.kills && result.accepted > 0 && faults.every((count) => count === 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function main({ kills, store, engines, seed, json }: ChaosOptions): Promise<boolean> {
  say(`${kills} kills on ${store} with ${engines} engine${engines === 1 ? '' : 's'}, seed ${seed}`);
  const place = await openPlace();
  const outside = new Outside(random);
  const lives = new Lives({ outside, socketPath: join(folder, 'outside.sock'), store: place.store });
  try {
    await lives.open();
    const tally = await play(lives, outside);
    const result = report(await judge(place.store, outside), tally, outside);
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${JSON.stringify(result, null, 2)}\n`);
    return holds(result);
  } finally {
    outside.close();
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit((await main(options)) ? 0 : 1);
