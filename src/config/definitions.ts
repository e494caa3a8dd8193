import type { Json } from '../core/json.ts';
import { type ProtocolDefinition, parseProtocol } from '../core/protocol.ts';
import { didYouMean } from '../core/suggest.ts';
import type { Checking } from '../files/check.ts';
import type { Path } from '../files/path.ts';
import type { WrittenProtocol } from './schema.ts';
import { told } from './told.ts';

export type DefinitionParts = {
  readonly checking: Checking;
  /** Definitions for those that are only named. */
  readonly library: ReadonlyMap<string, ProtocolDefinition>;
  /** Further demands on a definition. What it throws is told with its place. */
  readonly check_protocol?: ((definition: ProtocolDefinition) => void) | undefined;
  /** The same of what calls are told apart by, whatever its protocol extends. */
  readonly check_key?: ((key: string, methods: ProtocolDefinition['methods']) => void) | undefined;
};

/** `key` is its name where protocols are written as a mapping. */
export type WrittenEntry = {
  readonly entry: WrittenProtocol;
  readonly path: Path;
  readonly key: string | null;
};

/** What a protocol is: written out, kept apart under `protocol`, or the library's of that name. */
export function readDefinition(
  written: WrittenEntry,
  parts: DefinitionParts,
): ProtocolDefinition | undefined {
  const { entry, path, key } = written;
  const { providers: _, pool: _pool, limits: _limits, name: given, protocol, ...rest } = entry;
  if (protocol !== undefined) return readApart(protocol, written, parts);
  const name = key ?? given;
  if (rest.methods === undefined) return fromLibrary(name, Object.keys(rest), path, parts);
  const title = rest.title ?? (key === null ? undefined : given);
  return parse(
    { ...rest, ...(name === undefined ? {} : { name }), ...(title === undefined ? {} : { title }) },
    path,
    parts,
  );
}

function parse(input: unknown, path: Path, parts: DefinitionParts): ProtocolDefinition | undefined {
  return told(path, parts.checking, () => {
    const definition = parseProtocol(input);
    parts.check_protocol?.(definition);
    return definition;
  });
}

/** `protocol: {name, version, methods}` beside `providers`. */
function readApart(protocol: Json, { entry, path, key }: WrittenEntry, parts: DefinitionParts) {
  const { providers: _, protocol: __, pool: _pool, limits: _limits, name = key, ...rest } = entry;
  for (const stray of Object.keys(rest)) {
    const message = 'belongs into the definition under protocol';
    parts.checking.report({ path: [...path, stray], part: 'key', message });
  }
  const definition = parse(protocol, [...path, 'protocol'], parts);
  if (definition !== undefined && name !== null && name !== definition.name) {
    const message = `must be "${definition.name}", as under protocol`;
    parts.checking.report({ path: [...path, 'name'], part: 'value', message, found: JSON.stringify(name) });
  }
  return definition;
}

function fromLibrary(
  name: string | undefined,
  others: readonly string[],
  path: Path,
  parts: DefinitionParts,
) {
  const { library, checking } = parts;
  if (name === undefined) {
    const hint = 'name it like web-search/v1';
    checking.report({ path: [...path, 'name'], part: 'key', message: 'is missing', hint });
    return undefined;
  }
  if (others.length > 0) {
    const message = `methods are missing beside ${others.join(', ')}`;
    checking.report({ path: [...path, 'methods'], part: 'key', message, hint: 'a definition has methods' });
    return undefined;
  }
  const found = library.get(name);
  if (found !== undefined) return found;
  const known = [...library.keys()];
  const define = 'define it here with methods:';
  const hint = known.length === 0 ? define : `${didYouMean(name, known, 'in the library')} Or ${define}`;
  checking.report({
    path: [...path, 'name'],
    part: 'value',
    message: `no protocol "${name}" is known`,
    hint,
  });
  return undefined;
}
