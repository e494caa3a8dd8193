import type { AgentSettings } from '../core/agent.ts';
import type { Json } from '../core/json.ts';
import { type Path, showPath } from '../files/path.ts';
import type { Draft } from './draft.ts';
import { leavesOf } from './leaves.ts';
import type { ProtocolConfig } from './protocols.ts';
import type { CheckedConfig } from './schema.ts';

/** The sections without protocols and secrets. */
export function plainSections(config: Plain): Readonly<Record<PlainSection, Json>> {
  const { server, store, workflows, provider_types, functions, network, engine, bridge, retention } = config;
  const { logging, telemetry, agents, cache, dispatch, zone } = config;
  const sections = {
    server,
    store,
    workflows,
    provider_types,
    functions,
    agents,
    network,
    engine,
    cache,
    dispatch,
    bridge,
    zone,
    retention,
    logging,
    telemetry,
  };
  return sections as unknown as Record<PlainSection, Json>;
}

type PlainSection =
  | 'server'
  | 'store'
  | 'workflows'
  | 'provider_types'
  | 'functions'
  | 'agents'
  | 'network'
  | 'engine'
  | 'cache'
  | 'dispatch'
  | 'bridge'
  | 'zone'
  | 'retention'
  | 'logging'
  | 'telemetry';

type Plain = Pick<CheckedConfig, Exclude<PlainSection, 'agents'>> & {
  readonly agents: readonly AgentSettings[];
};

/** Where each value came from, by its path in the finished configuration. */
export function sourcesOf(
  config: Plain & { readonly protocols: readonly ProtocolConfig[] },
  written: CheckedConfig['protocols'],
  draft: Draft,
): Record<string, string> {
  const sources: Record<string, string> = {};
  const note = (path: Path, writtenAt: Path) => {
    sources[showPath(path)] = draft.sourceOf(writtenAt);
  };
  for (const { path } of leavesOf(plainSections(config))) note(path, path);
  const keys = Array.isArray(written) ? null : Object.keys(written);
  for (const [index, { providers }] of config.protocols.entries()) {
    const at = ['protocols', index];
    const from = ['protocols', keys?.[index] ?? index];
    note(at, from);
    for (const [number, provider] of providers.entries()) {
      for (const { path } of leavesOf(provider as unknown as Json)) {
        note([...at, 'providers', number, ...path], [...from, 'providers', number, ...path]);
      }
    }
  }
  return sources;
}
