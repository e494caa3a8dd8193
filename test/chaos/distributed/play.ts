import { join } from 'node:path';
import { type Game, type Played, pause, type Tally } from '../played.ts';
import type { AgentOptions, AgentState } from '../server/agent-process.ts';
import { type Helper, startHelper } from '../server/helper.ts';
import type { LoaderOptions, LoaderOrder, LoaderState } from '../server/loader-process.ts';
import { readAnswers, readExecutions } from '../server/written.ts';
import { completions, openTasks } from './counts.ts';
import { openStage, type Stage } from './stage.ts';
import { type Strike, strikesOf, type Target, targets, type Victim } from './strikes.ts';
import { until, untilOrThrow } from './until.ts';

/** A strike falls only with this many calls under way, but for those that fall on top of another one. */
const IN_FLIGHT = 20;
/** So many accepted tasks wait for the agent: the load lasts as long as the kills do. */
const BACKLOG = 100;
/** Afterwards, where there are not enough of them yet. */
const BACKLOG_AFTER = 2000;
const TAKES_MS: readonly [number, number] = [50, 1500];
const BETWEEN_MS = 2000;

type Agent = Helper<AgentState, object>;
type Loader = Helper<LoaderState, LoaderOrder>;
type World = Game & { readonly stage: Stage; readonly agent: Agent; readonly loader: Loader };
type Struck = {
  readonly tally: Tally;
  readonly killed: Map<Target, number>;
  whileRecovering: number;
  acceptedByThen: number;
};

/** Kills engines, bridges, Kafka and Postgres while work comes in over HTTP, and starts each again. */
export async function playDistributed(game: Game): Promise<Played> {
  const { folder, options, random } = game;
  const files = { answers: join(folder, 'answers'), executions: join(folder, 'executions') };
  const agentOptions: AgentOptions = { seed: options.seed, file: files.executions, takes_ms: TAKES_MS };
  const agent: Agent = await startHelper('./agent-process.ts', agentOptions);
  const stage = await openStage(game, agent.state.url);
  const { urls } = stage;
  const loaderOptions: LoaderOptions = {
    ...{ seed: options.seed + 1, file: files.answers, urls, backlog: BACKLOG, patient: true },
  };
  const loader: Loader = await startHelper('./loader-process.ts', loaderOptions);
  const tally: Tally = { accepted: 0, ms: 0, inFlight: [], recovery: [] };
  const struck: Struck = { tally, killed: new Map(), whileRecovering: 0, acceptedByThen: 0 };
  const world = { ...game, stage, agent, loader };
  const strikes = strikesOf(options, random);
  try {
    await underLoad(world, () => strikeAll(world, strikes, struck));
    const { refused, ...requests } = loader.state.requests;
    await loader.finish();
    await agent.finish();
    await stage.stop();
    const { contradicted, ...accepted } = await readAnswers(files.answers);
    const { redelivered, doubled } = await readExecutions(files.executions);
    return {
      ...{ tally, accepted, contradicted: contradicted + doubled, refused, redelivered },
      kills: options.kills,
      faults: { ended_alone: sum(stage.members.map(({ endedAlone }) => endedAlone)) },
      more: {
        ...{ bridges: options.bridges, ...told(strikes, struck), runs: accepted.runs.length, requests },
        failed_starts: sum(stage.members.map(({ failedStarts }) => failedStarts)),
      },
    };
  } finally {
    loader.kill();
    agent.kill();
    await stage.close();
  }
}

/** The load goes on until there were enough tasks; then everything accepted is given the time to finish. */
async function underLoad(world: World, kill: () => Promise<void>): Promise<void> {
  const { options, agent, loader } = world;
  const relay = setInterval(() => loader.tell({ executed: agent.state.executed }), 20);
  try {
    const began = performance.now();
    await kill();
    loader.tell({ backlog: BACKLOG_AFTER });
    await untilOrThrow('tasks that are accepted', () => {
      const { accepted } = loader.state;
      return { done: accepted >= options.tasks, sign: accepted };
    });
    const left = options.seconds * 1000 - (performance.now() - began);
    if (left > 0) await pause(left);
    loader.tell({ enough: true });
    await settle(world);
  } finally {
    clearInterval(relay);
  }
}

async function strikeAll(world: World, strikes: readonly Strike[], struck: Struck): Promise<void> {
  const { loader, random, say, stage } = world;
  /** Who is not back yet. */
  const coming = new Map<string, Promise<void>>();
  let recovered: Promise<unknown> = Promise.resolve();
  for (const [index, { victims, onTop }] of strikes.entries()) {
    const began = performance.now();
    const before = loader.state.accepted;
    if (onTop) struck.whileRecovering++;
    else {
      await recovered;
      await loaded(world);
    }
    await pause(random() * BETWEEN_MS);
    // Who is to be killed must live.
    await Promise.all(victims.map((victim) => coming.get(nameOf(victim))));
    struck.tally.inFlight.push(inFlight(world));
    struck.tally.accepted += loader.state.accepted - before;
    struck.tally.ms += performance.now() - began;
    const killedAt = performance.now();
    await Promise.all(victims.map((victim) => stage.kill(victim)));
    for (const victim of victims) count(struck.killed, victim.target);
    struck.acceptedByThen = loader.state.accepted;
    const down = random() * BETWEEN_MS;
    const back = victims.map((victim) => {
      const revived = pause(down).then(() => stage.revive(victim));
      coming.set(nameOf(victim), revived);
      return revived;
    });
    const alone = strikes[index + 1]?.onTop !== true;
    const next = recover(Promise.all(back), world).then(({ backAt, at }) => {
      if (alone) struck.tally.recovery.push(at - killedAt);
      const after = (moment: number) => `${((moment - killedAt) / 1000).toFixed(1)} s`;
      say(`  ${index + 1}: back after ${after(backAt)}, a task completed after ${after(at)}`);
    });
    recovered = Promise.all([recovered, next]);
    say(`${index + 1}/${strikes.length} ${victims.map(nameOf).join(' ')}${onTop ? ' on top' : ''}`);
  }
  await recovered;
  await Promise.all(coming.values());
}

/** When a task completed that had not when all of them were back. */
async function recover(back: Promise<unknown>, { stage }: World) {
  await back;
  const backAt = performance.now();
  let first: number | null = null;
  await untilOrThrow('tasks that complete', async () => {
    const done = await completions(stage.postgresUrl);
    first ??= done;
    return { done: first !== null && done !== null && done > first, sign: done ?? -1 };
  });
  return { backAt, at: performance.now() };
}

async function loaded(world: World): Promise<void> {
  await untilOrThrow('calls under way', () => {
    const sign = inFlight(world);
    return { done: sign >= IN_FLIGHT, sign };
  });
}

async function settle({ loader, stage, say }: World): Promise<void> {
  let left = 0;
  const settled = await until(async () => {
    // Looked at before the store is asked: after this, nothing more comes into it.
    const { done } = loader.state;
    left = await openTasks(stage.postgresUrl);
    return { done: done && left === 0, sign: left };
  });
  if (!settled) say(`${left} tasks stay open`);
}

function told(strikes: readonly Strike[], { killed, whileRecovering, acceptedByThen }: Struck) {
  const sizes = strikes.map(({ victims }) => new Set(victims.map(({ target }) => target)).size);
  return {
    kills_by_target: Object.fromEntries(targets.map((target) => [target, killed.get(target) ?? 0])),
    strikes: strikes.length,
    engines_and_bridges_at_once: sizes.filter((size) => size > 1).length,
    everything_at_once: sizes.filter((size) => size === targets.length).length,
    while_recovering: whileRecovering,
    accepted_by_last_kill: acceptedByThen,
  };
}

const inFlight = ({ agent }: World) => sum(Object.values(agent.state.in_flight));
const nameOf = ({ target, index }: Victim) => `${target}-${index}`;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function count(counts: Map<Target, number>, target: Target): void {
  counts.set(target, (counts.get(target) ?? 0) + 1);
}
