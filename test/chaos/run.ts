import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChaosOptions, readArguments, seededRandom } from './arguments.ts';
import { playDistributed } from './distributed/play.ts';
import { tableOf } from './distributed/table.ts';
import { playEngines } from './engines.ts';
import { type Judgement, judge } from './judge.ts';
import { openPlace } from './place.ts';
import type { Played } from './played.ts';
import { playServers } from './server/servers.ts';

const players = { engine: playEngines, server: playServers, distributed: playDistributed };

function report(options: ChaosOptions, judgement: Judgement, played: Played) {
  const { tally, accepted, contradicted, redelivered, refused = 0, faults = {}, more = {} } = played;
  const recovery = [...tally.recovery].sort((a, b) => a - b);
  return {
    target: options.targets.length === 0 ? options.target : options.targets.join(','),
    store: options.store,
    engines: options.engines,
    kills: played.kills ?? tally.recovery.length,
    accepted: accepted.tasks.length,
    ...judgement,
    contradicted,
    refused,
    redelivered,
    ...faults,
    ...more,
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

type Result = ReturnType<typeof report>;

function holds({ kills, target, tasks }: ChaosOptions, result: Result, played: Played): boolean {
  const faults = [
    ...Object.values(played.faults ?? {}),
    result.lost,
    result.recorded_twice,
    result.event_gaps,
    result.fold_differences,
    result.contradicted,
    result.refused,
  ];
  const least = target === 'distributed' ? tasks : 1;
  return result.kills === kills && result.accepted >= least && faults.every((count) => count === 0);
}

function announced({ kills, target, targets, store, engines, bridges, seed }: ChaosOptions): string {
  if (target === 'distributed')
    return `${kills} kills of ${targets.join(', ')}; ${engines} engines, ${bridges} bridges, seed ${seed}`;
  return `${kills} kills on ${store} with ${engines} ${target}${engines === 1 ? '' : 's'}, seed ${seed}`;
}

function shown({ json, target }: ChaosOptions, result: Result): string {
  const table = target === 'distributed' ? tableOf(result) : '';
  if (json) return `${table}${JSON.stringify(result)}\n`;
  return table === '' ? `${JSON.stringify(result, null, 2)}\n` : table;
}

async function main(options: ChaosOptions): Promise<boolean> {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  say(announced(options));
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-chaos-'));
  const { store, postgres, close } = await openPlace(options, folder);
  try {
    const random = seededRandom(options.seed);
    const played = await players[options.target]({ options, store, postgres, folder, random, say });
    const result = report(options, await judge(store, played.accepted), played);
    process.stdout.write(shown(options, result));
    return holds(options, result, played);
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit((await main(readArguments(process.argv.slice(2)))) ? 0 : 1);
