import { randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { type Agents, createAgents } from '../registry/agents.ts';
import type { Protocols } from '../registry/protocols.ts';
import { createStoredProtocols } from '../registry/stored-protocols.ts';
import { createCipher } from '../store/cipher.ts';
import { fileAgent } from './agent-registry.ts';
import { checkAgent } from './agent-service.ts';
import type { Opened } from './opened.ts';
import { registryReads } from './registry-reads.ts';
import { openStore, type Place, placeOf, readKeys } from './store.ts';

export type RegistryHouse = {
  readonly config: () => Config;
  readonly logger: Logger;
  readonly opened: Opened;
  readonly protocols: Protocols;
  /** What the server of `bridge.registry_url` is shown. */
  readonly key: string | undefined;
};

/** What a bridge knows without an engine. */
export type BridgeRegistry = {
  readonly agents: Agents;
  /** What secrets of agents are opened with. */
  readonly agentCipher: Cipher;
  /** What secrets in messages are opened with: the key that engines have. */
  readonly cipher: Cipher;
  /** Null where only configuration and registry say what there is. A file belongs to the one engine that holds it. */
  readonly store: Store | null;
};

/** Another server tells of no changes by itself. */
const LOOK_MS = 5000;

export async function openBridgeRegistry(house: RegistryHouse): Promise<BridgeRegistry> {
  const { config, opened } = house;
  const settings = config();
  const where = placeOf(settings.store);
  const cipher = createCipher(() => readKeys(where));
  const { registry_url } = settings.bridge;
  const store = where.type === 'postgres' ? await openShared(house, where) : null;
  if (registry_url !== undefined) return { ...(await overRest(house, registry_url)), cipher, store };
  const agents = agentsFrom(house, cipher, store?.reads ?? noAgents);
  // Listening before reading: what others register in between is heard.
  if (store !== null) opened.add(store.onChange((hint) => hint.agents && agents.refresh()));
  await agents.load();
  return { agents, agentCipher: cipher, cipher, store };
}

const noAgents: Pick<Store['reads'], 'agent' | 'agents'> = {
  agent: async () => null,
  agents: async () => ({ items: [], next_cursor: null }),
};

async function openShared(
  { config, logger, opened, protocols }: RegistryHouse,
  where: Place,
): Promise<Store> {
  const store = await openStore(where, systemClock, logger);
  opened.add(() => store.close());
  const registered = createStoredProtocols({
    ...{ protocols, timers: systemTimers, logger, documents: { reads: store.reads, put: refused } },
    isOwn: (name) => config().protocols.some((protocol) => protocol.name === name),
  });
  opened.add(() => registered.close());
  opened.add(store.onChange((hint) => hint.documents && registered.refresh()));
  await registered.load();
  return store;
}

/** Secrets that came in the clear are sealed at once, by a key that nobody has after this process. */
async function overRest(
  house: RegistryHouse,
  url: string,
): Promise<Pick<BridgeRegistry, 'agents' | 'agentCipher'>> {
  const secret = randomBytes(32);
  const agentCipher = createCipher(() => [secret]);
  const agents = agentsFrom(
    house,
    agentCipher,
    registryReads({ url, key: house.key, cipher: agentCipher, logger: house.logger }),
  );
  const timer = setInterval(() => agents.refresh(), LOOK_MS);
  house.opened.add(() => clearInterval(timer));
  await agents.load();
  return { agents, agentCipher };
}

function agentsFrom(
  { config, logger, opened }: RegistryHouse,
  cipher: Cipher,
  reads: Pick<Store['reads'], 'agent' | 'agents'>,
): Agents {
  const agents = createAgents({
    ...{ reads, cipher, newId: randomUUID, timers: systemTimers, logger, write: refused },
    own: () => config().agents.map(fileAgent),
    check: (settings) => checkAgent(settings, 'api'),
  });
  opened.add(() => agents.close());
  return agents;
}

async function refused(): Promise<never> {
  throw new GleitzeitError('GLZ9001', 'a bridge registers nothing');
}
