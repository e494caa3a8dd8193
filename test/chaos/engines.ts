import { join } from 'node:path';
import { end, kill, type Life, Lives } from './lives.ts';
import { Outside } from './outside.ts';
import { type Game, type Played, pause, type Tally } from './played.ts';

/** A kill counts only with this many calls under way. */
const IN_FLIGHT = 50;

/** Kills one engine after another at random moments and starts each again; the last lives end by themselves. */
export async function playEngines(game: Game): Promise<Played> {
  const { options, store, folder, random, say } = game;
  const outside = new Outside(random);
  const lives = new Lives({ outside, socketPath: join(folder, 'outside.sock'), store });
  const tally: Tally = { accepted: 0, ms: 0, inFlight: [], recovery: [] };
  await lives.open();
  try {
    const began = performance.now();
    const engines: Life[] = [];
    for (let index = 0; index < options.engines; index++) engines.push(await lives.start());
    for (let kills = 0; kills < options.kills; kills++) {
      const victim = Math.floor(random() * engines.length);
      engines[victim] = await killAndRestart(engines[victim] as Life, { lives, outside, tally, random });
      if (kills % 10 === 9) say(`${kills + 1} kills, ${outside.acceptedTasks} tasks accepted`);
    }
    const left = options.seconds * 1000 - (performance.now() - began);
    if (left > 0) await pause(left);
    outside.finish();
    await settle(engines, outside);
    return written(outside, tally);
  } finally {
    outside.close();
  }
}

type Parts = { lives: Lives; outside: Outside; tally: Tally; random: () => number };

async function killAndRestart(life: Life, { lives, outside, tally, random }: Parts): Promise<Life> {
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

function written(outside: Outside, tally: Tally): Played {
  const executions = [...outside.executed.values()].reduce((sum, count) => sum + count, 0);
  return {
    tally,
    accepted: { tasks: [...outside.accepted.values()].flat(), runs: [] },
    contradicted: outside.contradictions.length,
    redelivered: executions - outside.executed.size,
  };
}
