import { join } from 'node:path';
import { call } from '../../server/call.ts';
import { type Serving, serve } from '../../server/serve.ts';
import { freePort } from '../../services/free-port.ts';
import { type Game, type Played, pause, type Tally } from '../played.ts';
import type { AgentOptions, AgentState } from './agent-process.ts';
import { firstCompletion } from './first-completion.ts';
import { type Helper, startHelper } from './helper.ts';
import type { LoaderOptions, LoaderOrder, LoaderState } from './loader-process.ts';
import { chaosProtocol } from './work.ts';
import { readAnswers, readExecutions } from './written.ts';

/** A kill counts only with this many calls under way. */
const IN_FLIGHT = 50;
const SETTLE_MS = 120_000;
const WARNINGS_SHOWN = 20;

type Life = {
  readonly name: string;
  readonly port: number;
  readonly serving: Serving;
  readonly first: Promise<number>;
};
type Agent = Helper<AgentState, object>;
type Loader = Helper<LoaderState, LoaderOrder>;
type World = Game & { readonly agent: Agent; readonly loader: Loader; readonly tally: Tally };

/** Kills one server after another while work comes in over HTTP, and starts each again. */
export async function playServers(game: Game): Promise<Played> {
  const { folder, options } = game;
  const files = { answers: join(folder, 'answers'), executions: join(folder, 'executions') };
  const agentOptions: AgentOptions = { seed: options.seed, file: files.executions };
  const agent: Agent = await startHelper('./agent-process.ts', agentOptions);
  const starter = serverStarter(game, agent.state.url);
  const lives: Life[] = [];
  let loader: Loader | null = null;
  try {
    for (let index = 0; index < options.engines; index++)
      lives.push(await starter(`server-${index}`, await freePort()));
    const urls = lives.map(({ serving }) => serving.url);
    const loaderOptions: LoaderOptions = { seed: options.seed + 1, file: files.answers, urls };
    loader = await startHelper<LoaderState, LoaderOrder>('./loader-process.ts', loaderOptions);
    const tally: Tally = { accepted: 0, ms: 0, inFlight: [], recovery: [] };
    await play({ ...game, agent, loader, tally }, { lives, starter });
    const { refused, ...requests } = loader.state.requests;
    await loader.finish();
    await agent.finish();
    const { contradicted, ...accepted } = await readAnswers(files.answers);
    const { redelivered, doubled } = await readExecutions(files.executions);
    const more = { runs: accepted.runs.length, requests };
    return { tally, accepted, contradicted: contradicted + doubled, refused, redelivered, more };
  } finally {
    loader?.kill();
    agent.kill();
    for (const { serving } of lives) await serving.kill();
  }
}

type Starter = (name: string, port: number) => Promise<Life>;

function serverStarter({ folder, store, say }: Game, agentUrl: string): Starter {
  let warnings = 0;
  const warned = (line: string) => {
    if (warnings++ < WARNINGS_SHOWN) say(line);
  };
  return async (name, port) => {
    const config = { url: `${agentUrl}/${name}`, connections: 256 };
    const protocols = [{ ...chaosProtocol, providers: [{ id: name, type: 'jsonrpc-http', config }] }];
    const serving = await serve({
      file: join(folder, `${name}.json`),
      config: { server: { port }, store, engine: { concurrency: 200 }, protocols },
      warned,
    });
    return { name, port, serving, first: firstCompletion(serving.url, name) };
  };
}

async function play(world: World, { lives, starter }: { lives: Life[]; starter: Starter }): Promise<void> {
  const { options, loader, agent, random, say } = world;
  const relay = setInterval(() => loader.tell({ executed: agent.state.executed }), 20);
  try {
    const began = performance.now();
    for (let kills = 0; kills < options.kills; kills++) {
      const victim = Math.floor(random() * lives.length);
      lives[victim] = await killAndRestart(world, lives[victim] as Life, starter);
      if (kills % 10 === 9) say(`${kills + 1} kills, ${loader.state.accepted} tasks accepted`);
    }
    const left = options.seconds * 1000 - (performance.now() - began);
    if (left > 0) await pause(left);
    loader.tell({ enough: true });
    await settle(world, lives);
  } finally {
    clearInterval(relay);
  }
}

async function killAndRestart(world: World, life: Life, starter: Starter): Promise<Life> {
  const { agent, loader, tally, random } = world;
  const inFlight = () => agent.state.in_flight[`/${life.name}`] ?? 0;
  const before = loader.state.accepted;
  const began = performance.now();
  await life.first;
  await pause(random() * 500);
  while (inFlight() < IN_FLIGHT) await pause(2);
  tally.inFlight.push(inFlight());
  tally.accepted += loader.state.accepted - before;
  tally.ms += performance.now() - began;
  const killedAt = performance.now();
  await life.serving.kill();
  const next = await starter(life.name, life.port);
  tally.recovery.push((await next.first) - killedAt);
  return next;
}

const open = ['waiting', 'queued', 'validated', 'routed', 'executing', 'retrying', 'input_required'];

/** Everything accepted is given the time to finish, then the servers are asked to stop. */
async function settle({ loader, say }: World, lives: readonly Life[]): Promise<void> {
  const until = performance.now() + SETTLE_MS;
  const url = lives[0]?.serving.url ?? '';
  for (;;) {
    // Looked at before the store is asked: after this, nothing more comes into it.
    const { done } = loader.state;
    const { tasks } = await call<{ tasks: Record<string, number> }>(url, 'queue.stats', {});
    const left = open.reduce((sum, status) => sum + (tasks[status] ?? 0), 0);
    if (done && left === 0) break;
    if (performance.now() > until) {
      say(`after ${SETTLE_MS / 1000} s there are still ${left} tasks open`);
      break;
    }
    await pause(100);
  }
  for (const { serving } of lives) await serving.end();
}
