import { type RawClient, rawClient } from './testing.suite.ts';

/** A WebSocket of which the test writes every byte. */
export async function rawSocket(port: number): Promise<RawClient> {
  const client = await rawClient(port);
  client.write(
    'GET /rpc HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await client.until(/\r\n\r\n/);
  return client;
}

/** The head of a frame as clients send it, with a mask that changes nothing. */
export function frameHead(first: number, length: number): Buffer {
  const head = length < 126 ? [first, 0x80 | length] : [first, 0xff, 0, 0, 0, 0];
  const size = length < 126 ? Buffer.alloc(0) : Buffer.alloc(4);
  if (length >= 126) size.writeUInt32BE(length);
  return Buffer.concat([Buffer.from(head), size, Buffer.alloc(4)]);
}

/** A code as it stands in the frame that closes, read as Latin-1. */
export function closeFrame(code: number): string {
  return String.fromCharCode(code >> 8, code & 0xff);
}

export function frame(first: number, payload: Buffer): Buffer {
  return Buffer.concat([frameHead(first, payload.length), payload]);
}
