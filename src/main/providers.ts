import {
  type Config,
  type ConfigChange,
  isSameService,
  openSecret,
  type ProviderConfig,
  type ProviderEntry,
  secretsIn,
  secretTexts,
  serviceOf,
} from '../config.ts';
import { refuseCircle, wholeMethods } from '../core/lineage.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Provider } from '../core/ports/provider.ts';
import type { ProtocolDefinition } from '../core/protocol.ts';
import {
  type ChannelFactories,
  createProvider,
  type ProviderParts,
  type ProviderSpec,
} from '../dialects/registry.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { StoredProtocols } from '../registry/stored-protocols.ts';
import type { Drains } from '../router/drains.ts';
import type { Pools } from '../router/pools.ts';
import type { ProviderSettings } from '../router/settings.ts';
import { judgeBy } from './judge.ts';
import { withLook } from './look.ts';
import { poolSettings, providerSettings } from './pool-settings.ts';
import { version } from './version.ts';
import { viaOf, windowed } from './via.ts';

export type ConnectParts = {
  readonly pools: Pools;
  readonly channels: ChannelFactories;
  readonly protocols: {
    get(name: string): ProtocolDefinition | undefined;
    register(definition: ProtocolDefinition): void;
    unregister(name: string): void;
  };
  /** The configuration in force: a secret is looked up when it is used. */
  readonly config: () => Config;
  readonly logger: Logger;
  readonly translations?: ProviderParts['translations'];
};

export type ApplyParts = ConnectParts & {
  readonly drains: Pick<Drains, 'remove'>;
  /** What was registered over the API. */
  readonly registered: Pick<StoredProtocols, 'reinstate'>;
};

/** Before anything else: what is stored may extend them. */
export function connectProtocols({ protocols, config }: ConnectParts): void {
  for (const { definition } of config().protocols) protocols.register(definition);
}

export function connectProviders(parts: ConnectParts): void {
  for (const { name, providers, ...protocol } of parts.config().protocols) {
    const methods = methodsIn(parts.config(), name);
    parts.pools.configure(name, poolSettings(protocol));
    for (const provider of providers)
      parts.pools.connect(open(parts, { ...provider, protocol: name }, methods), {
        settings: settingsFor(parts, provider),
      });
  }
}

/**
 * Carries out what differs from the configuration before, while the next one is in force already. Work goes on: calls that
 * run are finished where they are. What cannot be opened is noticed before anything is changed, and leaves nothing open.
 */
export function applyChange(parts: ApplyParts, change: ConfigChange): void {
  const { protocols, providers } = change;
  const definitions = [...protocols.added, ...protocols.changed].map(({ definition }) => definition);
  const outdated = providers.kept.filter((entry) => startedWith(entry, change.secrets));
  const { others, adjusted } = withoutNewConnection(providers.changed);
  const opened: { readonly provider: Provider; readonly entry: ProviderEntry }[] = [];
  try {
    for (const entry of [...providers.added, ...others, ...outdated])
      opened.push({ provider: open(parts, entry, methodsIn(parts.config(), entry.protocol)), entry });
    // The file holds none by itself, but one of them may extend what was registered over the API.
    const own = lookIn(parts.config());
    const gone = new Set(protocols.removed.map(({ name }) => name));
    for (const definition of definitions)
      refuseCircle(
        definition,
        (name) => own(name) ?? (gone.has(name) ? undefined : parts.protocols.get(name)),
      );
    for (const definition of definitions) parts.protocols.register(definition);
  } catch (thrown) {
    for (const { provider } of opened) void provider.close?.().catch(() => {});
    throw thrown;
  }
  for (const { id } of outdated)
    parts.logger.info('a secret of a program has changed: it is started anew', { provider: id });
  for (const protocol of protocols.pools) parts.pools.configure(protocol.name, poolSettings(protocol));
  for (const { name } of protocols.removed) parts.pools.configure(name, poolSettings({}));
  for (const entry of adjusted) parts.pools.adjust(entry.id, settingsFor(parts, entry));
  for (const { provider, entry } of opened)
    parts.pools.connect(provider, { settings: settingsFor(parts, entry) });
  const gone = providers.removed.map(({ id }) =>
    parts.pools.disconnect(id, { reason: 'removed from the configuration' }),
  );
  const removed = providers.removed.map(({ id }) => id);
  // A store that is away does not know; then it is forgotten at the next start.
  if (removed.length > 0) void parts.drains.remove(removed).catch(() => {});
  void Promise.allSettled(gone).then(() => forget(parts, protocols.removed));
}

function settingsFor({ config }: ConnectParts, entry: ProviderConfig): ProviderSettings {
  const settings = providerSettings(entry);
  const limited = entry.limits !== undefined;
  return limited ? settings : windowed(config(), { ...serviceOf(entry), via: entry.via }, settings);
}

/** Where only weights, limits and the like differ, the connection stays, with its calls and what is known of it. */
function withoutNewConnection(changed: ConfigChange['providers']['changed']) {
  const { adjusted = [], others = [] } = Object.groupBy(changed, ({ before, after }) =>
    isSameService(before, after) ? 'adjusted' : 'others',
  );
  return { adjusted: adjusted.map(({ after }) => after), others: others.map(({ after }) => after) };
}

/** What programs that stay are started with, by the types that start them. */
const startedBy: Readonly<Record<string, readonly string[]>> = {
  'jsonrpc-stdio': ['env'],
  'mcp-server': ['env'],
  v3: ['env', 'options'],
};

/** Whoever makes calls or connections asks for a secret each time; a program has what it was started with. */
function startedWith(entry: ProviderEntry, secrets: readonly string[]): boolean {
  const { type, config } = serviceOf(entry);
  const used = (startedBy[type] ?? []).map((place) => secretsIn(config[place] ?? null));
  return secrets.some((name) => used.some((names) => names.has(name)));
}

/** Not before the last call has ended, whose result is judged by it; and not if it has come back meanwhile. */
function forget(parts: ApplyParts, removed: readonly { readonly name: string }[]): void {
  const kept = new Set(parts.config().protocols.map(({ name }) => name));
  for (const { name } of removed)
    if (!kept.has(name) && !parts.registered.reinstate(name)) parts.protocols.unregister(name);
}

function methodsIn(config: Config, name: string): readonly string[] {
  const get = lookIn(config);
  const definition = get(name);
  return definition === undefined ? [] : Object.keys(wholeMethods(definition, get));
}

function lookIn({ protocols }: Config): (name: string) => ProtocolDefinition | undefined {
  const definitions = new Map(protocols.map(({ name, definition }) => [name, definition]));
  return (name) => definitions.get(name);
}

function open(parts: ConnectParts, entry: ProviderEntry, methods: readonly string[]): Provider {
  return openService(parts, { ...entry, ...serviceOf(entry) }, { methods });
}

type Told = Pick<ProviderParts, 'methods'> & Partial<Pick<ProviderParts, 'secrets' | 'hidden'>>;

/** `secrets` and `hidden` where they are not those of the configuration. */
export function openService(
  { channels, config, logger, translations }: ConnectParts,
  spec: ProviderSpec & Pick<Provider, 'via'>,
  told: Told,
): Provider {
  // Also what was secret when it was opened: it may be at work long after that was changed.
  const early = secretTexts(config());
  const provider = createProvider(spec, {
    channels,
    secrets: (name) => openSecret(config().secrets, name),
    timers: systemTimers,
    clock: systemClock,
    judge: judgeBy,
    logger,
    translations,
    version: version(),
    ...told,
    hidden: () => [...new Set([...early, ...secretTexts(config()), ...(told.hidden?.() ?? [])])],
  });
  return Object.assign(withLook(provider, { config: spec.config, logger, channels }), {
    via: viaOf(config(), spec),
  });
}
