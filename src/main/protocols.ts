import type { ProtocolDefinition } from '../core/protocol.ts';
import type { KnownProtocols } from '../files/workflow/known.ts';
import { createProtocols } from '../registry/protocols.ts';

/** Compiled on trial, so that a mistake in a schema is told with its line. */
export function checkProtocol(definition: ProtocolDefinition): void {
  createProtocols().register(definition);
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
