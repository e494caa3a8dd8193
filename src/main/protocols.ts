import { GleitzeitError } from '../core/errors.ts';
import type { ProtocolDefinition } from '../core/protocol.ts';
import type { KnownProtocols } from '../files/workflow/known.ts';
import { libraryProtocols } from '../registry/library/index.ts';
import { createProtocols } from '../registry/protocols.ts';
import { methodWithSecretKey } from '../registry/secret-fields.ts';

/** Compiled on trial, so that a mistake in a schema is told with its line. */
export function checkProtocol(definition: ProtocolDefinition): void {
  createProtocols().register(definition);
}

/** A key is shown to people, and stays in the store with every task that waits. */
export function checkKey(key: string, methods: ProtocolDefinition['methods']): void {
  const method = methodWithSecretKey(key, methods);
  if (method === null) return;
  const reason = `is secret: the method "${method}" marks it x-secret, and a key is shown to people`;
  const hint = 'take a param that is none, such as the id of whoever the secret belongs to';
  throw new GleitzeitError('GLZ1012', reason, { reason, hint });
}

/** What definitions in a configuration are held against, and where those come from that are only named. */
export function definitionRules() {
  return { check_protocol: checkProtocol, check_key: checkKey, library: libraryProtocols() };
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
