import type { IncomingMessage } from 'node:http';
import type { HeldBytes } from './held.ts';
import { type Refusal, tooLarge, tooManyBytes } from './refusal.ts';

/** `held` is what was counted, and is to be given back when the request is done. `gone`: nobody is there any more. */
export type Body =
  | { readonly is: 'whole'; readonly bytes: Uint8Array; readonly held: number }
  | { readonly is: 'refused'; readonly refusal: Refusal }
  | { readonly is: 'gone' };

/** The whole body, unless it is too large by itself or together with those of others. */
export function readBody(request: IncomingMessage, held: HeldBytes, limit: number): Promise<Body> {
  // Whoever asked may have gone while somebody found out who it was.
  if (request.destroyed) return Promise.resolve({ is: 'gone' });
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let received = 0;

    function settle(body: Body): void {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      if (body.is !== 'whole') held.give(received);
      chunks = [];
      resolve(body);
    }
    function onData(chunk: Buffer): void {
      if (received + chunk.length > limit) settle({ is: 'refused', refusal: tooLarge(limit) });
      else if (!held.take(chunk.length, received)) settle({ is: 'refused', refusal: tooManyBytes });
      else {
        received += chunk.length;
        chunks.push(chunk);
      }
    }
    function onEnd(): void {
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      settle({ is: 'whole', bytes, held: received });
    }
    function onClose(): void {
      settle({ is: 'gone' });
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

export function announcedLength(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;

/** Compressed bodies are not taken: what they unpack to has no bound. */
export function isJson({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  if (type === undefined || headers['content-encoding'] !== undefined) return false;
  return type === 'application/json' || JSON_MEDIA_TYPE.test(type);
}
