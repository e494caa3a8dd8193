import { GleitzeitError } from './errors.ts';
import type { ProtocolDefinition } from './protocol.ts';

type Lookup = (name: string) => ProtocolDefinition | undefined;

/** A protocol and what it extends, the nearest first. In a circle each stands once. */
export function lineageOf(definition: ProtocolDefinition, get: Lookup): readonly ProtocolDefinition[] {
  const line = new Map<string, ProtocolDefinition>();
  let next: ProtocolDefinition | undefined = definition;
  while (next !== undefined && !line.has(next.name)) {
    line.set(next.name, next);
    next = next.extends === null ? undefined : get(next.extends);
  }
  return [...line.values()];
}

/** Its methods and those of what it extends. Where several have one of a name, the nearest counts. */
export function wholeMethods(definition: ProtocolDefinition, get: Lookup): ProtocolDefinition['methods'] {
  return Object.assign(
    {},
    ...lineageOf(definition, get)
      .map(({ methods }) => methods)
      .reverse(),
  );
}

export function refuseCircle(definition: ProtocolDefinition, get: Lookup): void {
  const line = lineageOf(definition, get);
  const names = line.map(({ name }) => name);
  const back = line.map((one) => one.extends).at(-1);
  if (typeof back !== 'string' || !names.includes(back)) return;
  const field = '/extends';
  const reason = `goes in a circle: ${[...names, back].join(' → ')}`;
  throw new GleitzeitError('GLZ1008', `${field}: ${reason}`, {
    field,
    reason,
    hint: 'one of them has to stand alone',
  });
}
