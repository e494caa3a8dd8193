import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryOf } from '../../server/program.ts';
import { freePort } from '../../services/free-port.ts';
import { startKafka } from '../../services/kafka.ts';
import type { Restartable } from '../../services/restartable.ts';
import type { Game } from '../played.ts';
import { chaosProtocol } from '../server/work.ts';
import { Member } from './member.ts';
import type { Victim } from './strikes.ts';

/** Two agents, so that tasks of both stand in every partition. */
const AGENTS = ['left', 'right'];
const PARTITIONS = 12;
const WARNINGS_OF_A_KIND = 3;

/** Everything that may be killed. */
export type Stage = {
  readonly postgresUrl: string;
  readonly urls: readonly string[];
  readonly members: readonly Member[];
  /** kill -9; resolves when it is gone. */
  kill(victim: Victim): Promise<void>;
  /** Starts it again; resolves when it takes work. */
  revive(victim: Victim): Promise<void>;
  /** Engines and bridges are asked to stop. */
  stop(): Promise<void>;
  /** Nothing of it is left. */
  close(): Promise<void>;
};

export async function openStage(game: Game, agentUrl: string): Promise<Stage> {
  const { postgres, store } = game;
  if (postgres === null || store.type !== 'postgres') throw new Error('bridges need a Postgres of their own');
  const kafka = await startKafka();
  const ports = await Promise.all(Array.from({ length: game.options.engines }, freePort));
  const place: Place = { game, agentUrl, kafka, warned: warnings(game) };
  const engines = ports.map((port, index) => engineAt(place, index, port));
  const bridges = Array.from({ length: game.options.bridges }, (_, index) => bridgeAt(place, index));
  const members = [...engines, ...bridges];
  const close = async () => {
    await Promise.all(members.map((member) => member.kill()));
    await kafka.stop();
  };
  try {
    // One after the other the first time: they make tables and topics.
    for (const member of members) await member.start();
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const memberOf = ({ target, index }: Victim) => (target === 'engine' ? engines : bridges)[index];
  return {
    postgresUrl: store.url,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    members,
    kill: async (victim) => {
      if (victim.target === 'kafka') await kafka.crash();
      else if (victim.target === 'postgres') await postgres.kill();
      else await memberOf(victim)?.kill();
    },
    revive: async (victim) => {
      if (victim.target === 'kafka') await kafka.restart();
      else if (victim.target === 'postgres') await postgres.restart();
      else await memberOf(victim)?.start();
    },
    stop: async () => void (await Promise.all(members.map((member) => member.stop()))),
    close,
  };
}

type Place = {
  readonly game: Game;
  readonly agentUrl: string;
  readonly kafka: Restartable;
  readonly warned: (line: string) => void;
};

function engineAt(place: Place, index: number, port: number): Member {
  const name = `engine-${index}`;
  const file = configure(place, name, { server: { port }, engine: { concurrency: 200 } });
  return member(place, { name, args: ['serve', '--config', file], ready: 'listening' });
}

function bridgeAt(place: Place, index: number): Member {
  const name = `bridge-${index}`;
  return member(place, {
    name,
    args: ['bridge', '--config', configure(place, name, {})],
    ready: 'taking tasks',
  });
}

type Named = { readonly name: string; readonly args: readonly string[]; readonly ready: string };

function member({ game, warned }: Place, named: Named): Member {
  return new Member({ ...named, folder: game.folder, warned });
}

/** Who calls is known by the path. */
function configure({ game, agentUrl, kafka }: Place, name: string, more: object): string {
  const file = join(game.folder, `${name}.json`);
  const providers = AGENTS.map((id) => ({
    id,
    type: 'jsonrpc-http',
    config: { url: `${agentUrl}/${name}/${id}`, connections: 256 },
  }));
  const config = {
    store: game.store,
    dispatch: { type: 'kafka', brokers: [kafka.url], partitions: PARTITIONS },
    protocols: [{ ...chaosProtocol, providers }],
    ...more,
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** While services are killed there are many; the first of each kind tell enough. */
function warnings({ say }: Game): (line: string) => void {
  const shown = new Map<unknown, number>();
  return (line) => {
    const kind = entryOf(line.slice(line.indexOf('{')))?.['message'] ?? line;
    const times = (shown.get(kind) ?? 0) + 1;
    shown.set(kind, times);
    if (times <= WARNINGS_OF_A_KIND) say(line);
  };
}
