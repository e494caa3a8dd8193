import { GleitzeitError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';

/** What a document of a service comes to here. */
export type Imported = {
  /** As it stands under `protocols:` in a configuration. */
  readonly entry: JsonObject;
  /** What could not be taken over, or has to be looked at. */
  readonly notes: readonly string[];
};

export type ImportOptions = {
  /** What tasks call the protocol by; made of the title and version of the document unless given. */
  readonly name: string | null;
  /** Where the service is, where the document does not say so. */
  readonly url: string | null;
};

/** What a method comes to: its definition, and what its provider is told of it. */
export type ImportedMethod = {
  readonly name: string;
  readonly definition: JsonObject;
  readonly mapping: Json;
};

/** `Pet Store` in version 1.0.3 is `pet-store/v1`. */
export function protocolName(title: string, version: string): string {
  const word = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  const major = /\d+/.exec(version)?.[0] ?? '1';
  return `${word === '' ? 'imported' : word}/v${major}`;
}

/** Method names are letters, digits and `_ / . -`, a letter first; the same name twice gets a number. */
export function methodNames(): (written: string) => string {
  const taken = new Set<string>();
  return (written) => {
    const safe = written.replace(/[^\w/.-]+/g, '_').replace(/^[^A-Za-z]+/, '') || 'call';
    let name = safe;
    for (let n = 2; taken.has(name); n++) name = `${safe}_${n}`;
    taken.add(name);
    return name;
  };
}

export function unreadable(reason: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1008', reason, { reason, hint });
}
