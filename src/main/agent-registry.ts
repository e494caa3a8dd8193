import { randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import type { AgentEntry } from '../core/agent.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import { systemTimers } from '../embedded/system.ts';
import type { Engine } from '../engine/engine.ts';
import { type Agents, createAgents } from '../registry/agents.ts';
import { hashText } from '../store/hash.ts';
import { checkAgent } from './agent-service.ts';
import type { Opened } from './opened.ts';

export type AgentHouse = {
  readonly config: () => Config;
  readonly logger: Logger;
  readonly opened: Opened;
  readonly store: Store;
  readonly cipher: Cipher;
  readonly engine: () => Engine;
};

/** The agents of the configuration and of the store, heard of from now on. */
export function openAgents({ config, logger, opened, store, cipher, engine }: AgentHouse): Agents {
  const agents = createAgents({
    reads: store.reads,
    write: (write) => engine().writeAgent(write),
    cipher,
    newId: randomUUID,
    own: () => config().agents.map(fileAgent),
    check: (settings) => checkAgent(settings, 'api'),
    timers: systemTimers,
    logger,
  });
  opened.add(() => agents.close());
  // Listening before reading: what others register in between is heard.
  opened.add(store.onChange((hint) => hint.agents && agents.refresh()));
  return agents;
}

/** One of the configuration, as the registry knows it. */
export function fileAgent(settings: Config['agents'][number]): AgentEntry {
  return {
    ...settings,
    id: idOf(settings.name),
    source: 'file',
    version: 0,
    created_at: null,
    updated_at: null,
  };
}

/** The same at every start: a UUID of version 8, which is made of whatever one likes. */
function idOf(name: string): string {
  const hex = Buffer.from(hashText(`agent ${name}`), 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
