import { type Config, serviceOf } from '../config.ts';
import type { AgentEntry } from '../core/agent.ts';
import type { AttemptName } from '../core/attempt-name.ts';
import { isCurrent } from '../core/away.ts';
import type { Json } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { StoreReads } from '../core/ports/store.ts';
import { providerTypes } from '../dialects/registry.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { keptFrom } from '../engine/kept.ts';
import { createProtocols, type Protocols } from '../registry/protocols.ts';
import { Pools } from '../router/pools.ts';
import { defaultProvider, type ProviderSettings } from '../router/settings.ts';
import type { BridgeMetrics } from '../telemetry/bridge-metrics.ts';
import { followAgents, settingsOf } from './agents.ts';
import { type BridgeRegistry, openBridgeRegistry } from './bridge-registry.ts';
import { channelFactories } from './channels.ts';
import type { Opened } from './opened.ts';
import { connectProtocols, connectProviders } from './providers.ts';

export type BridgeHouseParts = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly opened: Opened;
  readonly hideTexts: (texts: readonly string[]) => void;
  readonly key: string | undefined;
  readonly metrics: BridgeMetrics | null;
};

/** Everybody whom calls can be made to from here. */
export type BridgeHouse = BridgeRegistry & { readonly pools: Pools; readonly protocols: Protocols };

export async function openBridgeHouse(parts: BridgeHouseParts): Promise<BridgeHouse> {
  const { environment, logger, opened, hideTexts, key, metrics } = parts;
  const config = () => callable;
  const callable = withoutLocal(parts.config);
  const protocols = createProtocols();
  const pools = new Pools({
    ...{ clock: systemClock, timers: systemTimers, logger },
    observe: (call) => metrics?.providerCall(call),
  });
  const { folder, network } = parts.config;
  const channels = channelFactories({ logger, folder, environment, allow: network.allow });
  const translations = metrics?.translations;
  const connecting = { pools, protocols, channels, config, logger, translations };
  connectProtocols(connecting);
  const registry = await openBridgeRegistry({ config, logger, opened, protocols, key });
  opened.add((deadline_ms) => pools.stop(deadline_ms));
  connectProviders(connecting);
  const { agents, agentCipher } = registry;
  followAgents({ ...connecting, agents, cipher: agentCipher, settings: withoutLimits, hideTexts });
  return { ...registry, pools, protocols };
}

/** So many at the same time as the bridge makes of any of them: more is bounded elsewhere. */
function withoutLimits(entry: AgentEntry): ProviderSettings {
  return { ...settingsOf(entry), limits: defaultProvider.limits };
}

/** Programs and functions are never called from elsewhere: a bridge does not start them either. */
function withoutLocal(config: Config): Config {
  const leaves = (provider: Config['protocols'][number]['providers'][number]) =>
    providerTypes.get(serviceOf(provider).type)?.files_only === false;
  return {
    ...config,
    protocols: config.protocols.map((protocol) => ({
      ...protocol,
      providers: protocol.providers.filter(leaves),
    })),
  };
}

/** What the store has of a call that was begun elsewhere; undefined where it has nothing, or the call is not wanted any more. */
export async function keptIn(
  { reads, cipher }: { readonly reads: Pick<StoreReads, 'task'>; readonly cipher: Cipher },
  name: AttemptName,
): Promise<Json | undefined> {
  const found = await reads.task(name.task_id);
  if (found === null || !isCurrent(found.task, name)) return undefined;
  const kept = found.task.attempts.at(-1)?.outside?.kept;
  return kept === undefined ? undefined : keptFrom(kept.text, cipher);
}
