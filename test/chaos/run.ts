import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChaosOptions, readArguments, seededRandom } from './arguments.ts';
import { playEngines } from './engines.ts';
import { type Judgement, judge } from './judge.ts';
import { openPlace } from './place.ts';
import type { Played } from './played.ts';
import { playServers } from './server/servers.ts';

const players = { engine: playEngines, server: playServers };

function report(options: ChaosOptions, judgement: Judgement, played: Played) {
  const { tally, accepted, contradicted, redelivered, refused = 0, more = {} } = played;
  const recovery = [...tally.recovery].sort((a, b) => a - b);
  return {
    target: options.target,
    store: options.store,
    engines: options.engines,
    kills: tally.recovery.length,
    accepted: accepted.tasks.length,
    ...judgement,
    contradicted,
    refused,
    redelivered,
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

function holds({ kills }: ChaosOptions, result: ReturnType<typeof report>): boolean {
  const faults = [
    result.lost,
    result.recorded_twice,
    result.event_gaps,
    result.fold_differences,
    result.contradicted,
    result.refused,
  ];
  return result.kills === kills && result.accepted > 0 && faults.every((count) => count === 0);
}

async function main(options: ChaosOptions): Promise<boolean> {
  const { kills, target, engines, seed, json } = options;
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  say(
    `${kills} kills on ${options.store} with ${engines} ${target}${engines === 1 ? '' : 's'}, seed ${seed}`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-chaos-'));
  const { store, close } = await openPlace(options.store, folder);
  try {
    const random = seededRandom(seed);
    const played = await players[target]({ options, store, folder, random, say });
    const result = report(options, await judge(store, played.accepted), played);
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${JSON.stringify(result, null, 2)}\n`);
    return holds(options, result);
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit((await main(readArguments(process.argv.slice(2)))) ? 0 : 1);
