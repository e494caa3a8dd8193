import { hash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Fact } from '../manager/facts.ts';
import { withoutTokens } from '../protocol/redact.ts';

/** One thing to be told: a message in either direction, or a change that it brought about. */
export type Entry =
  | {
      readonly kind: 'message';
      readonly direction: 'in' | 'out';
      readonly peer: string;
      readonly message: Json;
    }
  | { readonly kind: 'fact'; readonly fact: Fact };

/** Where a chain of lines has come to. */
export type ChainEnd = { readonly seq: number; readonly hash: string };

/** Before the first line. */
export const beginning: ChainEnd = { seq: 0, hash: '0'.repeat(64) };

export type Line = ChainEnd & { readonly text: string };

/** A message that is larger is told by its size: the log is no place to fill a disk from. */
const LONGEST_MESSAGE = 64 * 1024;

/**
 * The next line of the log. Its hash is taken over the hash before it and every character that stands in front of its own,
 * so that no byte of any line can change, and no line go, without the chain breaking there.
 */
export function nextLine(before: ChainEnd, entry: Entry, at: number): Line {
  const seq = before.seq + 1;
  const head = JSON.stringify({ seq, at: new Date(at).toISOString(), ...told(entry), prev: before.hash });
  const sum = hash('sha256', `${before.hash}\n${head}`, 'hex');
  return { seq, hash: sum, text: `${head.slice(0, -1)},"hash":"${sum}"}` };
}

function told(entry: Entry): JsonObject {
  if (entry.kind === 'fact') return JSON.parse(JSON.stringify(entry)) as JsonObject;
  const message = withoutTokens(entry.message);
  const { length } = JSON.stringify(message);
  return { ...entry, message: length > LONGEST_MESSAGE ? { too_large: true, length } : message };
}

const ending = /,"hash":"([0-9a-f]{64})"\}$/;

export type ReadLine = ChainEnd & { readonly entry: Entry; readonly at: string };

/** A line that follows on from the one before it, or what is wrong with it. */
export function readLine(before: ChainEnd, text: string): ReadLine | string {
  const [whole, sum] = ending.exec(text) ?? [];
  if (whole === undefined || sum === undefined) return 'it does not end with its hash';
  const head = `${text.slice(0, -whole.length)}}`;
  if (hash('sha256', `${before.hash}\n${head}`, 'hex') !== sum)
    return 'its hash is not the one of what stands there after the line before it';
  const line = parsed(text);
  if (line === null || line['seq'] !== before.seq + 1) return 'it is not the next in line';
  const { seq: _, prev: __, hash: ___, at, ...entry } = line;
  return { seq: before.seq + 1, hash: sum, entry: entry as unknown as Entry, at: String(at) };
}

function parsed(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
