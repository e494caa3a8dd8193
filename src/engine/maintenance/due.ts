import type { Unserved } from '../unserved.ts';
import type { Writer } from '../writer.ts';
import { Loop, type LoopParts } from './loop.ts';

const BATCH = 500;

/**
 * Moves retries to the queue when their time has come, and ends tasks whose total timeout ran out. Sleeps until the
 * next one it knows of; `poll_ms` is the net under what other engines made due.
 */
export function dueLoop(
  parts: LoopParts & { writer: Writer; unserved: Pick<Unserved, 'calls'>; poll_ms: number },
): Loop {
  return new Loop('waking due tasks', parts, async () => {
    const { calls: unserved } = parts.unserved;
    const { more, next_in_ms } = await parts.writer.write({ kind: 'wake_due', limit: BATCH, unserved });
    if (more) return 0;
    return Math.min(next_in_ms ?? parts.poll_ms, parts.poll_ms);
  });
}
