import type { ConsumeMessage, Options } from 'amqplib';
import type { Message, News } from '../broker.ts';

/** Bytes that a routing key can have. */
const LONGEST_ROUTING_KEY = 255;
/** Where a longer key stands. */
const KEY_HEADER = 'x-key';

export function routingKeyOf(key: string): string {
  return Buffer.byteLength(key) <= LONGEST_ROUTING_KEY ? key : '';
}

export function propertiesOf({ key, headers }: Message): Options.Publish {
  const long = routingKeyOf(key) !== key;
  return {
    headers: long ? { ...headers, [KEY_HEADER]: key } : { ...headers },
    contentType: 'application/json',
  };
}

export function newsOf({ content, fields, properties }: ConsumeMessage): News {
  const headers: Record<string, string> = {};
  let key = fields.routingKey;
  for (const [name, value] of Object.entries(properties.headers ?? {})) {
    if (typeof value !== 'string') continue;
    if (name === KEY_HEADER) key = value;
    else headers[name] = value;
  }
  return { key, value: content, headers };
}
