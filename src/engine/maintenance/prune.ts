import type { Writer } from '../writer.ts';
import { Loop, type LoopParts } from './loop.ts';

const BATCH = 200;
const EVERY_MS = 60_000;

/** Removes runs that finished longer ago than they are kept. */
export function pruneLoop(parts: LoopParts & { writer: Writer; keep_ms: number }): Loop {
  return new Loop('removing old runs', parts, async () => {
    const { more } = await parts.writer.write({ kind: 'prune', keep_ms: parts.keep_ms, limit: BATCH });
    return more ? 0 : EVERY_MS;
  });
}
