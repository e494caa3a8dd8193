import type { RawData } from 'ws';

/** A message in one piece. `ws` gives one buffer unless it was told otherwise, but its types say more. */
export function bytesOfMessage(message: RawData): Uint8Array {
  if (Buffer.isBuffer(message)) return message;
  return Array.isArray(message) ? Buffer.concat(message) : new Uint8Array(message);
}
