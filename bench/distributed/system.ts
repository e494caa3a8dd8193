import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultTopics } from '../../src/bridge/topics.ts';
import { Gleitzeit } from '../../src/embedded/gleitzeit.ts';
import type { StoreOptions } from '../../src/index.ts';
import { openHouse } from '../../src/main/house.ts';
import { loadServerConfig } from '../../src/main/load.ts';
import { openLog } from '../../src/main/log.ts';
import { observe } from '../../src/main/observation.ts';
import { Opened } from '../../src/main/opened.ts';
import { type Bench, PROTOCOL } from '../gleitzeit.ts';
import { OTHER } from '../gleitzeit-calling.ts';
import { type BridgeProcess, startBridge } from './bridge-process.ts';

export interface Distributed {
  /** The engine, in this process as in W10. */
  readonly bench: Bench;
  readonly bridges: readonly BridgeProcess[];
  /** Starts one more, which calls the agent at this address. */
  addBridge(agent: string): Promise<BridgeProcess>;
  close(): Promise<void>;
}

export interface DistributedOptions {
  readonly store: StoreOptions;
  readonly broker: string;
  readonly agent: string;
  /** Who has the second protocol. */
  readonly other?: string;
  /** Of `dispatch` and `bridge`, where it is not what they have by default. */
  readonly partitions?: number;
  readonly window?: number;
  readonly concurrency?: number;
}

let systems = 0;

/** Engine, broker and bridges with topics of their own, as the programs compose them. */
export async function openDistributed(options: DistributedOptions): Promise<Distributed> {
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-bench-bridges-'));
  const name = `${process.pid}-${++systems}`;
  const opened = new Opened();
  opened.add(() => rm(folder, { recursive: true, force: true }));
  const bridges: BridgeProcess[] = [];
  const configure = async (file: string, agent: string) => {
    const path = join(folder, file);
    await writeFile(path, JSON.stringify(configuration(options, name, agent)));
    return path;
  };
  const bench = await openEngine(await configure('engine.json', options.agent), opened);
  return {
    bench,
    bridges,
    addBridge: async (agent) => {
      const file = await configure(`bridge-${bridges.length}.json`, agent);
      const bridge = await startBridge(file, folder);
      bridges.push(bridge);
      return bridge;
    },
    close: async () => {
      await Promise.all(bridges.map((bridge) => bridge.stop()));
      await opened.close(1000);
    },
  };
}

/** Everything that a server has behind its face. */
async function openEngine(file: string, opened: Opened): Promise<Bench> {
  const env = { GLEITZEIT_LOGGING_LEVEL: 'error' };
  const config = await loadServerConfig({ file, env, cwd: process.cwd(), database_url: false });
  const { logger } = openLog(config);
  const { engine, store, pools } = await openHouse({
    ...{ config: () => config, environment: env, logger, opened, observe },
    serverStats: async () => null,
  });
  return new Gleitzeit({ engine, store, router: pools, close: async () => {} });
}

function configuration(options: DistributedOptions, name: string, agent: string) {
  const { store, broker, partitions, window, concurrency, other = options.agent } = options;
  const topics = Object.fromEntries(
    Object.entries(defaultTopics).map(([key, topic]) => [key, `${topic}.${name}`]),
  );
  const groups = { consumer_group: `bridges-${name}`, engine_group: `engines-${name}` };
  const provider = (id: string, url: string) => ({ id, type: 'jsonrpc-http', config: { url } });
  return {
    store,
    dispatch: { type: 'kafka', brokers: [broker], partitions, window, topics, ...groups },
    bridge: { concurrency },
    protocols: [
      { ...PROTOCOL, providers: [provider('agent', agent)] },
      { ...OTHER, providers: [provider('other', other)] },
    ],
  };
}
