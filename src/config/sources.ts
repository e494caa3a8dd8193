import type { Json } from '../core/json.ts';
import { type Path, showPath } from '../files/path.ts';
import type { Draft } from './draft.ts';
import { leavesOf } from './leaves.ts';
import type { ProtocolConfig } from './protocols.ts';
import type { CheckedConfig } from './schema.ts';

/** The sections without protocols and secrets: what needs a restart to change. */
export function plainSections(
  config: Pick<CheckedConfig, PlainSection>,
): Readonly<Record<PlainSection, Json>> {
  const { server, store, workflows, engine, retention, logging, telemetry } = config;
  return { server, store, workflows, engine, retention, logging, telemetry } as unknown as Record<
    PlainSection,
    Json
  >;
}

type PlainSection = 'server' | 'store' | 'workflows' | 'engine' | 'retention' | 'logging' | 'telemetry';

/** Where each value came from, by its path in the finished configuration. */
export function sourcesOf(
  config: Pick<CheckedConfig, PlainSection> & { readonly protocols: readonly ProtocolConfig[] },
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
