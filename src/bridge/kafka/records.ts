import type { KafkaRecord } from '@platformatic/kafka';
import type { Message, News } from '../broker.ts';

const nothing = new Uint8Array(0);

/** A record as whoever wrote it may have written it: without a key, without a value, with headers that are no text. */
export function newsOf({ key, value, headers }: KafkaRecord): News {
  const texts: Record<string, string> = {};
  for (const [name, content] of headers) texts[String(name ?? '')] = String(content ?? '');
  return { key: key === null ? '' : key.toString(), value: value ?? nothing, headers: texts };
}

export function recordOf(topic: string, { key, value, headers }: Message) {
  return {
    topic,
    key: Buffer.from(key),
    value: Buffer.from(value),
    ...(headers === undefined ? {} : { headers: headersOf(headers) }),
  };
}

function headersOf(headers: Readonly<Record<string, string>>): Map<Buffer, Buffer> {
  return new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]));
}
