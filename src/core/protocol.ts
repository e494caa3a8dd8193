import { GleitzeitError } from './errors.ts';
import { type Fields, given, note, openFields, readName, readRequiredName } from './fields.ts';
import { isObject, type Json, type JsonObject, kindOf, own } from './json.ts';
import { child } from './json-pointer.ts';
import { toJson } from './json-safe.ts';
import { MAX_NAME } from './limits.ts';
import { Problems } from './problems.ts';
import { type MethodDefinition, readMethod, readText } from './protocol-method.ts';

export type { MethodDefinition, MethodExample } from './protocol-method.ts';

/** A protocol with its shorthand written out as JSON Schema. */
export type ProtocolDefinition = {
  /** What tasks call it by: `web-search/v1`. */
  readonly name: string;
  readonly title: string | null;
  readonly version: string;
  readonly description: string | null;
  /** A protocol whose methods it has too, where one of that name is registered; otherwise a note. Never fetched. */
  readonly extends: string | null;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
};

const keys = ['name', 'title', 'version', 'description', 'extends', 'methods'];
const protocolName = /^[A-Za-z][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)*$/;
const methodName = /^[A-Za-z][\w/.-]*$/;

type Place = Omit<Fields, 'object'>;
type Found = readonly (ProtocolDefinition | undefined)[];

/** One protocol, in any of the forms below. Throws GLZ1008 with every problem found. */
export function parseProtocol(input: unknown): ProtocolDefinition {
  const [protocol, ...others] = parseProtocols(input);
  if (protocol !== undefined && others.length === 0) return protocol;
  const reason =
    protocol === undefined ? 'holds no protocol' : `holds ${others.length + 1} protocols instead of one`;
  throw new GleitzeitError('GLZ1008', reason, { field: '', reason });
}

/**
 * The protocols of `{name, methods}`, of a map from names to protocols (where `name` is only a title), or of either
 * under `protocol` or `protocols`.
 */
function parseProtocols(input: unknown): readonly ProtocolDefinition[] {
  const problems = new Problems();
  const found = readAny(toJson(input, 'GLZ1008', ''), { at: '', code: 'GLZ1008', problems });
  problems.throwIfAny();
  return found.filter((protocol) => protocol !== undefined);
}

function readAny(value: Json, place: Place): Found {
  if (!isObject(value)) {
    place.problems.add(place.code, { field: place.at, reason: `must be an object, not ${kindOf(value)}` });
    return [];
  }
  if (Object.hasOwn(value, 'methods') || typeof value['name'] === 'string') return [readNamed(value, place)];
  for (const wrapper of ['protocol', 'protocols']) {
    const inner = own(value, wrapper);
    if (isObject(inner)) return readAny(inner, { ...place, at: child(place.at, wrapper) });
  }
  return Object.entries(value).map(([name, item]) =>
    readListed(name, item, { ...place, at: child(place.at, name) }),
  );
}

function readNamed(value: JsonObject, place: Place): ProtocolDefinition | undefined {
  const fields = openFields(value, keys, place);
  return fields && readProtocol(readRequiredName(fields, 'name'), readText(fields, 'title'), fields);
}

function readListed(name: string, value: Json, place: Place): ProtocolDefinition | undefined {
  const fields = openFields(value, keys, place);
  return fields && readProtocol(name, readText(fields, 'title') ?? readText(fields, 'name'), fields);
}

function readProtocol(name: string, title: string | null, fields: Fields): ProtocolDefinition {
  if (name !== '' && (name.length > MAX_NAME || !protocolName.test(name))) {
    note(
      fields,
      'name',
      `${JSON.stringify(name.slice(0, MAX_NAME))} cannot name a protocol`,
      'write it like web-search/v1',
    );
  }
  return {
    name,
    title,
    version: readVersion(name, fields),
    description: readText(fields, 'description'),
    extends: readName(fields, 'extends', null),
    methods: readMethods(fields),
  };
}

/** `web-search/v1` is version v1 unless it says otherwise. */
function readVersion(name: string, fields: Fields): string {
  const suffix = name.includes('/') ? name.slice(name.lastIndexOf('/') + 1) : '';
  const version = readName(fields, 'version', suffix);
  if (version === '' && given(fields, 'version') === undefined) {
    note(fields, 'version', 'is missing', 'give one, or name the protocol with its version: echo/v1');
  }
  return version;
}

function readMethods(fields: Fields): Readonly<Record<string, MethodDefinition>> {
  const value = given(fields, 'methods');
  if (!isObject(value)) {
    note(fields, 'methods', value === undefined ? 'is missing' : `must be an object, not ${kindOf(value)}`);
    return {};
  }
  const at = child(fields.at, 'methods');
  const methods: Record<string, MethodDefinition> = {};
  for (const [name, item] of Object.entries(value)) {
    if (name.length > MAX_NAME || !methodName.test(name)) {
      note({ ...fields, at }, name, 'cannot name a method', 'a letter, then letters, digits and _ / . -');
    }
    const method = readMethod(item, { at: child(at, name), code: fields.code, problems: fields.problems });
    if (method !== undefined) methods[name] = method;
  }
  return methods;
}
