import { UnstorableText } from './errors.ts';

/*
 * Columns of values as Postgres reads arrays in binary: no quoting, and nothing in a text can be mistaken for the end
 * of it. Each becomes one parameter of an `unnest`.
 */

const HEADER = 20;
const NULL_LENGTH = -1;
const oids = { text: 25, int8: 20, float8: 701, bool: 16 } as const;

/** Whether Postgres can hold the text, and gives back the same: it has no NUL, and UTF-8 has no half characters. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export function texts(values: readonly (string | null)[]): Buffer {
  let room = HEADER;
  // Three bytes hold any UTF-16 unit; measuring each text first would cost as much as writing it.
  for (const value of values) room += 4 + (value === null ? 0 : value.length * 3);
  const buffer = Buffer.allocUnsafe(room);
  let at = writeHeader(buffer, oids.text, values.length);
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    const written = buffer.write(requireStorable(value), at + 4);
    buffer.writeInt32BE(written, at);
    at += 4 + written;
  }
  return buffer.subarray(0, at);
}

function requireStorable(text: string): string {
  if (isStorable(text)) return text;
  throw new UnstorableText();
}

export function integers(values: readonly (number | null)[]): Buffer {
  return fixed(values, oids.int8, 8, (buffer, value, at) => {
    // Two halves: a 64-bit write would need a BigInt for each value.
    buffer.writeInt32BE(Math.floor(value / 0x1_0000_0000), at);
    buffer.writeUInt32BE(value - Math.floor(value / 0x1_0000_0000) * 0x1_0000_0000, at + 4);
  });
}

export function floats(values: readonly (number | null)[]): Buffer {
  return fixed(values, oids.float8, 8, (buffer, value, at) => buffer.writeDoubleBE(value, at));
}

export function booleans(values: readonly boolean[]): Buffer {
  return fixed(values, oids.bool, 1, (buffer, value, at) => buffer.writeUInt8(value ? 1 : 0, at));
}

function fixed<Value>(
  values: readonly (Value | null)[],
  oid: number,
  size: number,
  write: (buffer: Buffer, value: Value, at: number) => void,
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER + values.length * (4 + size));
  let at = writeHeader(buffer, oid, values.length);
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    at = buffer.writeInt32BE(size, at);
    write(buffer, value, at);
    at += size;
  }
  return buffer.subarray(0, at);
}

/** One dimension, possibly with nulls, counted from 1. */
function writeHeader(buffer: Buffer, oid: number, length: number): number {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(oid, 8);
  buffer.writeInt32BE(length, 12);
  return buffer.writeInt32BE(1, 16);
}
