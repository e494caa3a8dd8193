import type { AgentEntry } from '../core/agent.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { keepingLogger, type LogLine } from '../engine/testing/world.suite.ts';
import { parseAgent } from '../registry/agent-definition.ts';
import { sealAgent } from '../registry/agent-record.ts';
import type { Agents } from '../registry/agents.ts';
import { createProtocols } from '../registry/protocols.ts';
import { Pools } from '../router/pools.ts';
import { createCipher } from '../store/cipher.ts';
import { checkAgent } from './agent-service.ts';
import { channelFactories } from './channels.ts';
import { loadServerConfig } from './load.ts';

export const cipher = createCipher(() => [Buffer.alloc(32, 1)]);

/** An agent that was registered over the API. */
export function sealedEntry(given: object): AgentEntry {
  const settings = parseAgent({ name: 'Echo', ...given });
  checkAgent(settings, 'api');
  const times = { created_at: 1, updated_at: 1 };
  return { ...sealAgent(cipher, settings, null), id: 'i', source: 'api', version: 1, ...times };
}

/** What agents are connected with, of a registry that says what the test says. */
export async function partsOf(list: () => readonly AgentEntry[]) {
  const log: LogLine[] = [];
  const logger = keepingLogger(log);
  const config = await loadServerConfig({ file: null, text: '', env: {}, cwd: '/', database_url: false });
  const pools = new Pools({ clock: systemClock, timers: systemTimers, logger });
  const channels = channelFactories({ logger, folder: '/', environment: {} });
  const agents = { list } as Agents;
  const parts = {
    pools,
    channels,
    protocols: createProtocols(),
    config: () => config,
    logger,
    agents,
    cipher,
  };
  return { parts, log, pools };
}
