import type { Enum, Field, OneOf, Type } from 'protobufjs';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, kindOf } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import { didYouMean } from '../../core/suggest.ts';
import { driverKey, entryOf, fromDriverKey, keyTypeOf, toKey } from './maps.ts';
import { refuse, toScalar } from './scalar.ts';
import { isWrapper, wellKnown } from './well-known.ts';

/**
 * JSON as the members of a message, by the JSON mapping of Protocol Buffers. Names may be written as in the .proto file or in
 * camel case. What fits no field is refused rather than left out. Throws GLZ2010 with the place.
 */
export function toMessage(type: Type, value: Json, at = ''): object {
  const special = wellKnown.get(type.fullName);
  if (special !== undefined) return special.from(value, type) ?? refuse(at, `is no ${type.name}`);
  if (isWrapper(type)) return { value: toScalar(fieldOf(type, 'value'), value, at) };
  if (!isObject(value)) return refuse(at, `must be an object for ${nameOf(type)}, not ${kindOf(value)}`);
  const members: [string, unknown][] = [];
  const chosen = new Map<OneOf, Field>();
  for (const [key, item] of Object.entries(value)) {
    const field = find(type, key, at);
    if (item !== null) checkChoice(field, chosen, child(at, key));
    // In JSON a field that is null is one that is not set, but for the value that may be anything.
    const mayBeNull = field.resolvedType?.fullName === '.google.protobuf.Value' && !field.repeated;
    if (item !== null || mayBeNull) members.push([field.name, toField(field, item, child(at, key))]);
  }
  return Object.fromEntries(members);
}

function find(type: Type, key: string, at: string): Field {
  const field = type.fieldsArray.find(({ name }) => name === key || camelCase(name) === key);
  if (field !== undefined) return field.resolve();
  const names = type.fieldsArray.map(({ name }) => name);
  const field_at = child(at, key);
  const reason = `${nameOf(type)} has no field ${JSON.stringify(key)}`;
  throw new GleitzeitError('GLZ2010', `params${field_at}: ${reason}`, {
    field: field_at,
    reason,
    hint: didYouMean(key, names, 'its fields'),
  });
}

/** Of several that exclude each other the last would win without a word. */
function checkChoice(field: Field, chosen: Map<OneOf, Field>, at: string): void {
  if (field.partOf === null) return;
  const other = chosen.get(field.partOf);
  if (other !== undefined) refuse(at, `stands beside ${other.name}, and only one of them can be set`);
  chosen.set(field.partOf, field);
}

function fieldOf(type: Type, name: string): Field {
  const field = type.fields[name];
  if (field === undefined) throw new RangeError(`${type.fullName} has no ${name}`);
  return field.resolve();
}

function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}

function nameOf({ fullName }: Type | Enum): string {
  return fullName.replace(/^\./, '');
}

function toField(field: Field, value: Json, at: string): unknown {
  const entry = entryOf(field);
  if (entry !== null) {
    if (!isObject(value)) return refuse(at, `must be an object, not ${kindOf(value)}`);
    return Object.entries(value).map(([key, item]) => ({
      [entry.key.name]: toKey(entry.key.type, key, child(at, key)),
      [entry.value.name]: toSingle(entry.value, item, child(at, key)),
    }));
  }
  if (field.map) {
    if (!isObject(value)) return refuse(at, `must be an object, not ${kindOf(value)}`);
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        driverKey(toKey(keyTypeOf(field), key, child(at, key))),
        toSingle(field, item, child(at, key)),
      ]),
    );
  }
  if (!field.repeated) return toSingle(field, value, at);
  if (!Array.isArray(value)) return refuse(at, `must be a list, not ${kindOf(value)}`);
  return value.map((item: Json, index) => toSingle(field, item, child(at, index)));
}

function toSingle(field: Field, value: Json, at: string): unknown {
  const { resolvedType } = field;
  if (resolvedType === null) return toScalar(field, value, at);
  return 'fields' in resolvedType ? toMessage(resolvedType, value, at) : toEnum(resolvedType, value, at);
}

function toEnum(type: Enum, value: Json, at: string): number {
  if (type.fullName === '.google.protobuf.NullValue' && value === null) return 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  const number =
    typeof value === 'string' && Object.hasOwn(type.values, value) ? type.values[value] : undefined;
  if (number !== undefined) return number;
  const reason = `must be one of ${nameOf(type)}`;
  const hint =
    typeof value === 'string' ? { hint: didYouMean(value, Object.keys(type.values), 'its names') } : {};
  throw new GleitzeitError('GLZ2010', `params${at}: ${reason}`, { field: at, reason, ...hint });
}

/** A message as JSON: every field is there, with its default where the service left it out; names as in the .proto file. */
export function fromMessage(type: Type, message: object): Json {
  const special = wellKnown.get(type.fullName);
  if (special !== undefined) return special.to(message, type);
  if (isWrapper(type)) return fromField(fieldOf(type, 'value'), message) ?? null;
  const members: [string, Json][] = [];
  for (const field of type.fieldsArray) {
    const value = fromField(field.resolve(), message);
    if (value !== undefined) members.push([field.name, value]);
  }
  return Object.fromEntries(members) as JsonObject;
}

function fromField(field: Field, message: object): Json | undefined {
  const value: unknown = Object.hasOwn(message, field.name)
    ? (message as Readonly<Record<string, unknown>>)[field.name]
    : undefined;
  const entry = entryOf(field);
  if (entry !== null)
    return Object.fromEntries(
      ((value ?? []) as readonly object[]).map((one) => [
        String(fromField(entry.key, one)),
        fromField(entry.value, one) ?? null,
      ]),
    );
  if (field.map)
    return Object.fromEntries(
      Object.entries(value ?? {}).map(([key, item]) => [
        fromDriverKey(keyTypeOf(field), key),
        fromSingle(field, item),
      ]),
    );
  if (field.repeated) return ((value ?? []) as readonly unknown[]).map((item) => fromSingle(field, item));
  if (value !== undefined && value !== null) return fromSingle(field, value);
  // Of several that exclude each other, and of what may be missing, only what was set is there.
  if (field.partOf) return undefined;
  return field.resolvedType !== null && 'fields' in field.resolvedType
    ? null
    : fromSingle(field, field.defaultValue as unknown);
}

function fromSingle(field: Field, value: unknown): Json {
  const { resolvedType, type } = field;
  if (resolvedType !== null) {
    if ('fields' in resolvedType) return fromMessage(resolvedType, value as object);
    return resolvedType.valuesById[Number(value)] ?? Number(value);
  }
  if (type === 'bytes') return Buffer.from(value as Uint8Array).toString('base64');
  if (type === 'string') return String(value);
  if (type === 'bool') return Boolean(value);
  if (type.endsWith('64')) return String(value);
  return Number.isFinite(value) ? Number(value) : String(value);
}
