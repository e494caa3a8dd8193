import type { ProtocolDefinition } from '../core/protocol.ts';
import type { KnownProtocols } from '../files/workflow/known.ts';
import { libraryProtocols } from '../registry/library/index.ts';
import { createProtocols } from '../registry/protocols.ts';

/** Compiled on trial, so that a mistake in a schema is told with its line. */
export function checkProtocol(definition: ProtocolDefinition): void {
  createProtocols().register(definition);
}

/** What definitions in a configuration are held against, and where those come from that are only named. */
export function definitionRules() {
  return { check_protocol: checkProtocol, library: libraryProtocols() };
}

/** One of those that need only be named. */
export function libraryProtocol(name: string): ProtocolDefinition | undefined {
  return libraryProtocols().get(name);
}

/** Protocols for whoever reads workflow files, judged as the engine will judge them. */
export function knownProtocols(definitions: readonly ProtocolDefinition[]): KnownProtocols {
  const protocols = createProtocols();
  for (const definition of definitions) protocols.register(definition, { compile: 'on_use' });
  return {
    get: (name) => protocols.get(name),
    names: () => protocols.list().map(({ name }) => name),
    checkParams: (call) => void protocols.checkParams({ ...call, stage: 'template' }),
  };
}
