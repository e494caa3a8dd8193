import type { Writer } from '../writer.ts';
import { Loop, type LoopParts } from './loop.ts';

const BATCH = 500;

/** Takes over what engines held that are gone. */
export function rescueLoop(parts: LoopParts & { writer: Writer; every_ms: number }): Loop {
  return new Loop('rescuing tasks of lost engines', parts, async () => {
    const { rescued, more } = await parts.writer.write({ kind: 'rescue', limit: BATCH });
    if (rescued > 0) parts.logger.info('took over tasks of an engine that is gone', { tasks: rescued });
    return more ? 0 : parts.every_ms;
  });
}
