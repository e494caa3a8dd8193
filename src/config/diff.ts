import { canonicalJson } from '../core/canonical.ts';
import type { Json } from '../core/json.ts';
import { showPath } from '../files/path.ts';
import { leavesOf } from './leaves.ts';
import { protocolPoolOf } from './pool-rules.ts';
import type { ProtocolConfig } from './protocols.ts';
import { type ProviderConfig, serviceOf } from './providers.ts';
import { plainSections } from './sources.ts';
import type { Config } from './types.ts';

export type ProviderEntry = ProviderConfig & { readonly protocol: string };

/** What differs between the configuration in force and the next one. */
export type ConfigChange = {
  readonly protocols: {
    readonly added: readonly ProtocolConfig[];
    /** Another definition under the same name. */
    readonly changed: readonly ProtocolConfig[];
    readonly removed: readonly ProtocolConfig[];
    /** Calls are spread or limited in another way. */
    readonly pools: readonly ProtocolConfig[];
  };
  readonly providers: {
    readonly added: readonly ProviderEntry[];
    readonly changed: readonly { readonly before: ProviderEntry; readonly after: ProviderEntry }[];
    readonly removed: readonly ProviderEntry[];
    readonly kept: readonly ProviderEntry[];
  };
  /** Names of functions that are new, gone, or something else. */
  readonly functions: readonly string[];
  /** Names of agents that are new, gone, or something else. */
  readonly agents: readonly string[];
  /** Names of secrets that are new, gone, or have another value. */
  readonly secrets: readonly string[];
  /** Names of keys that are new, gone, or allow something else. A server that had none asks for none until its next start. */
  readonly keys: readonly string[];
  /** What differs and cannot be changed while the program runs. */
  readonly restart: readonly string[];
};

/** `guarded`: callers have had to show a key since the program started. */
export function diffConfigs(before: Config, after: Config, guarded = hasKeys(before)): ConfigChange {
  const protocols = compare(byName(before.protocols), byName(after.protocols), sameDefinition);
  const providers = compare(providersOf(before), providersOf(after), sameProvider);
  return {
    protocols: {
      added: protocols.added,
      changed: protocols.changed.map((pair) => pair.after),
      removed: protocols.removed,
      pools: changedPools(before, after),
    },
    providers,
    functions: changedFunctions(before, after),
    agents: changedAgents(before, after),
    secrets: changedSecrets(before, after),
    keys: guarded ? changedKeys(before, after) : [],
    restart: changedSettings(before, after).filter((path) => !guarded || !path.startsWith('server.keys')),
  };
}

/** Whether there is anything to do while the program runs. */
export function changesAnything(change: ConfigChange): boolean {
  const { protocols, providers, functions, agents, secrets, keys } = change;
  const lists = [protocols.added, protocols.changed, protocols.removed, protocols.pools, providers.added];
  const others = [providers.changed, providers.removed, functions, agents, secrets, keys];
  return [...lists, ...others].some((list) => list.length > 0);
}

function compare<Item>(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  same: (a: Item, b: Item) => boolean,
) {
  const added: Item[] = [];
  const changed: { before: Item; after: Item }[] = [];
  const kept: Item[] = [];
  for (const [key, item] of after) {
    const earlier = before.get(key);
    if (earlier === undefined) added.push(item);
    else if (same(earlier, item)) kept.push(item);
    else changed.push({ before: earlier, after: item });
  }
  const removed = [...before].filter(([key]) => !after.has(key)).map(([, item]) => item);
  return { added, changed, removed, kept };
}

function changedPools(before: Config, after: Config): ProtocolConfig[] {
  const earlier = byName(before.protocols);
  return after.protocols.filter((protocol) => {
    const was = earlier.get(protocol.name);
    return !same(protocolPoolOf(protocol), was === undefined ? {} : protocolPoolOf(was));
  });
}

/** Whether the service is reached in the same way, whatever else is said of it. */
export function isSameService(a: ProviderEntry, b: ProviderEntry): boolean {
  const [one, other] = [a, b].map((entry) => ({
    protocol: entry.protocol,
    via: entry.via ?? null,
    ...serviceOf(entry),
  }));
  return one !== undefined && other !== undefined && same(one, other);
}

function byName(protocols: readonly ProtocolConfig[]): Map<string, ProtocolConfig> {
  return new Map(protocols.map((protocol) => [protocol.name, protocol]));
}

export function providersOf({ protocols }: Pick<Config, 'protocols'>): Map<string, ProviderEntry> {
  const all = protocols.flatMap(({ name, providers }) =>
    providers.map((provider) => ({ ...provider, protocol: name })),
  );
  return new Map(all.map((provider) => [provider.id, provider]));
}

function sameDefinition(a: ProtocolConfig, b: ProtocolConfig): boolean {
  return same(a.definition, b.definition);
}

function sameProvider(a: ProviderEntry, b: ProviderEntry): boolean {
  return same(a, b);
}

function same(a: object, b: object): boolean {
  return canonicalJson(a as unknown as Json) === canonicalJson(b as unknown as Json);
}

function changedFunctions({ functions: before }: Config, { functions: after }: Config): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !same(before[name] ?? {}, after[name] ?? {}));
}

function changedAgents({ agents: before }: Config, { agents: after }: Config): string[] {
  const byName = (agents: Config['agents']) => new Map(agents.map((agent) => [agent.name, agent]));
  const [earlier, later] = [byName(before), byName(after)];
  const names = new Set([...earlier.keys(), ...later.keys()]);
  return [...names].filter((name) => !same(earlier.get(name) ?? {}, later.get(name) ?? {}));
}

function changedSecrets(before: Config, after: Config): string[] {
  const names = new Set([...Object.keys(before.secrets), ...Object.keys(after.secrets)]);
  return [...names].filter((name) => before.secrets[name]?.reveal() !== after.secrets[name]?.reveal());
}

/** Whether callers have to show one. */
export function hasKeys({ server }: Pick<Config, 'server'>): boolean {
  return server.keys.length > 0;
}

function changedKeys(before: Config, after: Config): string[] {
  const told = ({ server }: Config) =>
    server.keys.map(({ name, role, hash }) => ({ name, text: `${role} ${hash}` }));
  const differs = (one: Told, others: readonly Told[]) =>
    !others.some(({ name, text }) => name === one.name && text === one.text);
  const [earlier, later] = [told(before), told(after)];
  const differing = [
    ...earlier.filter((one) => differs(one, later)),
    ...later.filter((one) => differs(one, earlier)),
  ];
  return [...new Set(differing.map(({ name }) => name))];
}

type Told = { readonly name: string; readonly text: string };

function changedSettings(before: Config, after: Config): string[] {
  const earlier = settingsOf(before);
  const later = settingsOf(after);
  const differing = [...new Set([...earlier.keys(), ...later.keys()])].filter(
    (path) => earlier.get(path) !== later.get(path),
  );
  // What types come down to is seen at their providers, and functions are looked up anew each time.
  return differing.filter((path) => !/^(?:provider_types|functions|agents)\b/.test(path));
}

function settingsOf(config: Config): Map<string, string> {
  return new Map(
    leavesOf(plainSections(config)).map(({ path, value }) => [showPath(path), JSON.stringify(value)]),
  );
}
