import { resolve } from 'node:path';
import { GleitzeitError } from '../../core/errors.ts';
import {
  type AgentOptions,
  type AskEngine,
  methodStrategy,
  modelStrategy,
  type RunningAgent,
  randomStrategy,
  ruleStrategy,
  type Strategy,
  startPlayer,
  startReferee,
} from '../../main/league/agent.ts';
import { leagueLog, loadGames, openLines, readTimeouts } from '../../main/league/place.ts';
import type { Client, ParamsOf } from '../../sdk/index.ts';
import { openClient } from '../connect.ts';
import { badValue } from '../flags.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';

export function leagueReferee(call: Invocation): Promise<void> {
  return stay(call, async () => startReferee(await agentOptions(call)));
}

export function leaguePlayer(call: Invocation): Promise<void> {
  return stay(call, async () => {
    const { strategy, close } = await strategyOf(call);
    const player = await startPlayer({ ...(await agentOptions(call)), strategy });
    const stop = async () => {
      await player.stop();
      await close();
    };
    return { ...player, stop };
  });
}

/** Listens, joins, and stays until it is stopped; it ends by itself only where the league does not take it. */
async function stay(call: Invocation, start: () => Promise<RunningAgent>): Promise<void> {
  let refused: unknown = null;
  await untilStopped(async () => {
    const { endpoint_url, joined, stop } = await start();
    call.io.say(`Listening on ${endpoint_url}`);
    joined.then(
      ({ league_id }) => call.io.say(`Joined ${league_id}`),
      (thrown: unknown) => {
        refused = thrown;
        process.kill(process.pid, 'SIGTERM');
      },
    );
    const release = endWithParent(call);
    return { stop: () => stop().finally(release), reload: async () => {} };
  });
  if (refused !== null) throw refused;
}

const LOOK_MS = 1000;

/** One that a league started does not outlive it, also where that was killed. Gives the way to look no longer. */
export function endWithParent({ env }: Invocation): () => void {
  const parent = Number(env['GLEITZEIT_LEAGUE_PARENT'] ?? 0);
  if (parent === 0) return () => {};
  const timer = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  return () => clearInterval(timer);
}

async function agentOptions({ flags, cwd, io }: Invocation): Promise<AgentOptions> {
  const id = flags.text('id') ?? '';
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw badValue('id', id, 'write letters, digits, _ and -');
  const path = (name: string) => {
    const named = flags.text(name);
    return named === undefined ? undefined : resolve(cwd, named);
  };
  return {
    ...{ id, manager: flags.text('manager') ?? '', public_url: flags.text('public-url') },
    where: {
      ...{ host: flags.text('host') ?? '127.0.0.1', port: portOf(flags.text('port') ?? '0') },
      ...{ tls_cert: path('tls-cert'), tls_key: path('tls-key') },
    },
    ...{ state_file: path('state'), seed: flags.text('seed') ?? '1' },
    games: await loadGames(flags.list('game-file').map((file) => resolve(cwd, file))),
    policy: await readTimeouts(path('timeouts')),
    ...{ lines: openLines(path('ca')), ...leagueLog(io.debug) },
  };
}

export function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw badValue('port', text, 'write a number from 0 to 65535');
}

async function strategyOf(call: Invocation): Promise<{ strategy: Strategy; close: () => Promise<void> }> {
  const { flags } = call;
  const nothing = async () => {};
  const name = flags.text('strategy');
  if (name === 'rules') return { strategy: ruleStrategy, close: nothing };
  if (name !== 'llm' && name !== 'task') return { strategy: randomStrategy, close: nothing };
  const [protocol, method] = name === 'llm' ? ['llm/v1', 'generate'] : methodIn(flags.text('call') ?? '');
  const { client, close } = await openClient(call, { works: true, warm: [protocol] });
  const ask = asking(call, client);
  const model = flags.text('model') ?? null;
  const strategy = name === 'llm' ? modelStrategy(ask, model) : methodStrategy(ask, { protocol, method });
  return { strategy, close };
}

/** `moves/v1.choose`: what stands behind the last dot is the method. */
function methodIn(text: string): [string, string] {
  const dot = text.lastIndexOf('.');
  if (dot > 0 && dot < text.length - 1) return [text.slice(0, dot), text.slice(dot + 1)];
  throw badValue('call', text, 'write a protocol and a method: moves/v1.choose');
}

/** As long as one question to the API may wait. */
const LONGEST_MS = 60_000;

/** Each question is a task of its own. One that comes to nothing is said, and the move left to chance. */
function asking({ io }: Invocation, client: Client): AskEngine {
  return async (task) => {
    try {
      const { task_id } = await client.call('task.submit', { task: task as Task });
      const { status, result, error } = await client.call('task.result', { task_id, wait: LONGEST_MS });
      if (status !== 'completed')
        io.say(`A move is left to chance: ${error?.message ?? `the task is ${status}`}`);
      return result ?? null;
    } catch (thrown) {
      io.say(`A move is left to chance: ${GleitzeitError.from(thrown).message}`);
      return null;
    }
  };
}

type Task = NonNullable<ParamsOf<'task.submit'>['task']>;
