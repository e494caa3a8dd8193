import type { IncomingMessage } from 'node:http';
import { type Pauses, paceOf, type Way } from './carry-out.ts';
import type { Plan } from './plan.ts';

/** Where a stream would end nobody knows: one that is cut ends before so many pieces of it have gone. */
const PIECES = 4;

/** Events, or lines by any of their names: told piece by piece, perhaps without an end, or waiting for what is said to the first. */
export function isStream({ headers }: IncomingMessage): boolean {
  return /event-stream|ndjson|jsonl/i.test(headers['content-type'] ?? '');
}

/** What is made wrong in the place of a stream, whose own answer may never come: one message, as whoever takes streams takes too. */
export const insteadOfStream = {
  body: Buffer.from('{"jsonrpc":"2.0","id":"asked","result":null}'),
  headers: { 'content-type': 'application/json' },
};

/** Hands a stream on as it comes; of the faults only a cut can meet it after it has begun. */
export async function handOn(
  said: AsyncIterable<Buffer>,
  { fault, bytes_per_second }: Plan,
  { way, pauses }: { way: Way; pauses: Pauses },
): Promise<void> {
  const { size, every_ms } = paceOf(bytes_per_second);
  let left = fault?.kind === 'cut' ? Math.floor(fault.share * PIECES) : Number.POSITIVE_INFINITY;
  let begun = false;
  if (left > 0)
    for await (const piece of said) {
      for (let at = 0; at < piece.length; at += size) {
        if (begun && !(await pauses.wait(every_ms))) return;
        begun = true;
        await way.write(piece.subarray(at, at + size));
      }
      if (--left <= 0) break;
    }
  if (fault === null) way.done();
  else way.cut();
}
