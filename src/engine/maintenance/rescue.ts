import type { Lines } from '../lines.ts';
import type { Writer } from '../writer.ts';
import { Loop, type LoopParts } from './loop.ts';

const BATCH = 500;

type RescueParts = LoopParts & {
  readonly writer: Writer;
  readonly lines: Pick<Lines, 'callAll' | 'callSome'>;
  readonly every_ms: number;
};

/** Takes over what engines held that are gone, and calls those who wait for a call from one of them. */
export function rescueLoop(parts: RescueParts): Loop {
  return new Loop('rescuing tasks of lost engines', parts, async () => {
    const [{ rescued, more }] = await Promise.all([
      parts.writer.write({ kind: 'rescue', limit: BATCH }),
      parts.lines.callSome(),
    ]);
    if (rescued > 0) parts.lines.callAll();
    if (rescued > 0) parts.logger.info('took over tasks of an engine that is gone', { tasks: rescued });
    return more ? 0 : parts.every_ms;
  });
}
