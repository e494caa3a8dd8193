import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorText, type RpcId } from '../messages.ts';
import type { Refusal } from './refusal.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Those who speak JSON-RPC get every refusal in its envelope, whatever the status. */
export type Envelope = 'rpc' | 'plain';

export function refusalText({ error }: Refusal, envelope: Envelope, id: RpcId = null): string {
  const text = JSON.stringify(error);
  return envelope === 'rpc' ? errorText(JSON.stringify(id), text) : `{"error":${text}}`;
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, ['content-type', JSON_TYPE, 'content-length', String(Buffer.byteLength(text))]);
  response.end(text);
}

export function sendNothing(response: ServerResponse, status: number): void {
  // A length where one is allowed: without it an empty 202 would be sent in chunks.
  response.writeHead(status, status === 204 ? [] : ['content-length', '0']);
  response.end();
}

export type Told = { readonly envelope: Envelope; readonly id?: RpcId };

export function sendRefusal(response: ServerResponse, refusal: Refusal, { envelope, id }: Told): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(refusal.headers ?? {})) response.setHeader(name, value);
  const text = refusalText(refusal, envelope, id);
  response.setHeader('content-type', JSON_TYPE);
  response.setHeader('content-length', Buffer.byteLength(text));
  response.writeHead(refusal.told_with ?? refusal.status);
  response.end(text);
}

/** Where there is no response to write to: a request that is none, or one that wanted to become something else. */
export function sendRawRefusal(socket: Duplex, refusal: Refusal): void {
  const text = refusalText(refusal, 'plain');
  const lines = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'connection: close',
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(text)}`,
    ...Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
}

/** Whether there may be a body of which not everything has arrived. */
export function isArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && ((headers['content-length'] ?? '0') !== '0' || 'transfer-encoding' in headers);
}

/** Ends the connection when the answer is sent and the rest of the body is here; Node would end it with the answer. */
export function endLater(request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = true;
  let awaited = 2;
  const done = () => {
    if (--awaited === 0) request.socket.destroySoon();
  };
  request.once('end', done);
  response.once('finish', done);
}

/**
 * Reads on what nobody wants, so that the peer, which may send everything before it listens, gets to our answer. To end
 * the connection at once would make the system throw the answer away.
 */
export function discard(request: IncomingMessage, bytes: number): void {
  if (request.complete) return;
  let left = bytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => {});
  request.resume();
}
