import type { Field, Type } from 'protobufjs';
import { refuse, toScalar } from './scalar.ts';

const MAP_ENTRY = 'is_map_entry';

/** The type stands for the entries of a map. */
export function markMapEntry(type: Type): void {
  type.setOption(MAP_ENTRY, true);
}

/** A map that is told as a list of entries: the fields of these. Null for every other field. */
export function entryOf({
  repeated,
  resolvedType,
}: Field): { readonly key: Field; readonly value: Field } | null {
  if (!repeated || resolvedType === null || !('fields' in resolvedType)) return null;
  if (resolvedType.getOption(MAP_ENTRY) !== true) return null;
  const [key, value] = [resolvedType.fieldsById[1], resolvedType.fieldsById[2]];
  return key === undefined || value === undefined ? null : { key: key.resolve(), value: value.resolve() };
}

/** The type of the keys of a map that is told as one. */
export function keyTypeOf(field: Field): string {
  return 'keyType' in field ? String(field.keyType) : 'string';
}

/** A key of JSON, which is always text, as the value it stands for. */
export function toKey(type: string, key: string, at: string): unknown {
  if (type !== 'bool') return toScalar({ type }, key, at);
  return key === 'true' || key === 'false' ? key === 'true' : refuse(at, 'must be true or false');
}

/** The driver takes keys as text too, and every text but the empty one for true. */
export function driverKey(key: unknown): string {
  return key === false ? '' : String(key);
}

const BYTES = 8;

/** It tells numbers of 64 bits by their bytes, the last one first. */
export function fromDriverKey(type: string, key: string): string {
  if (!type.endsWith('64') || key.length !== BYTES) return key;
  const value = Array.from(key, (byte) => BigInt(byte.charCodeAt(0))).reduceRight(
    (sum, byte) => (sum << 8n) | byte,
    0n,
  );
  const unsigned = type.startsWith('u') || type === 'fixed64';
  return String(unsigned ? value : BigInt.asIntN(64, value));
}
