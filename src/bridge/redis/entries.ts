import { isObject } from '../../core/json.ts';
import type { Message, News } from '../broker.ts';
import type { Reply } from './connection.ts';

/** An entry of a stream: its id and what was written. */
export type Entry = { readonly id: string; readonly news: News };

const nothing = Buffer.alloc(0);

/** The fields under which a message stands in a stream. */
export function fieldsOf({ key, value, headers }: Message): (string | Buffer)[] {
  const fields = ['key', key, 'value', typeof value === 'string' ? value : Buffer.from(value)];
  return headers === undefined ? fields : [...fields, 'headers', JSON.stringify(headers)];
}

/** Entries as a server lists them; those that are gone meanwhile are left out. */
export function entriesOf(reply: Reply | undefined): Entry[] {
  return listOf(reply).flatMap((item) => {
    const [id, fields] = listOf(item);
    return Buffer.isBuffer(id) && Array.isArray(fields) ? [{ id: id.toString(), news: newsOf(fields) }] : [];
  });
}

export function listOf(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : [];
}

/** Names and values in turn, as a server describes things. */
export function pairsOf(reply: Reply | undefined): Map<string, Reply> {
  const list = listOf(reply);
  const pairs = new Map<string, Reply>();
  for (let index = 0; index + 1 < list.length; index += 2)
    pairs.set(String(list[index]), list[index + 1] ?? null);
  return pairs;
}

function newsOf(fields: readonly Reply[]): News {
  const pairs = pairsOf(fields);
  const bytes = (name: string): Buffer => {
    const found = pairs.get(name);
    return Buffer.isBuffer(found) ? found : nothing;
  };
  return { key: bytes('key').toString(), value: bytes('value'), headers: headersOf(bytes('headers')) };
}

/** A piece of news travels as a line of JSON and the value after it. */
export function packNews({ key, value, headers }: Message): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ key, headers })}\n`), Buffer.from(value)]);
}

/** What somebody else has published is taken as a value. */
export function unpackNews(bytes: Buffer): News {
  const end = bytes.indexOf(0x0a);
  const head = end < 0 ? undefined : parsed(bytes.subarray(0, end));
  if (!isObject(head) || typeof head['key'] !== 'string') return { key: '', value: bytes, headers: {} };
  return { key: head['key'], value: bytes.subarray(end + 1), headers: textsOf(head['headers']) };
}

function headersOf(bytes: Buffer): Record<string, string> {
  return bytes.length === 0 ? {} : textsOf(parsed(bytes));
}

function textsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return Object.fromEntries(texts);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
