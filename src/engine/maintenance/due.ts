import { type AbandonParts, tellAbandoned } from '../outside.ts';
import type { Unserved } from '../unserved.ts';
import type { Writer } from '../writer.ts';
import { Loop, type LoopParts } from './loop.ts';

const BATCH = 500;

/**
 * Moves retries to the queue when their time has come, ends tasks whose total timeout ran out, and gives up calls that were
 * handed over and are not answered. Sleeps until the
 * next one it knows of; `poll_ms` is the net under what other engines made due.
 */
export function dueLoop(
  parts: LoopParts &
    AbandonParts & {
      writer: Writer;
      unserved: Pick<Unserved, 'calls'>;
      poll_ms: number;
    },
): Loop {
  const tell = tellAbandoned(parts);
  return new Loop('waking due tasks', parts, async () => {
    const { calls: unserved } = parts.unserved;
    const write = { kind: 'wake_due', limit: BATCH, unserved } as const;
    const { more, next_in_ms } = tell(await parts.writer.write(write));
    if (more) return 0;
    return Math.min(next_in_ms ?? parts.poll_ms, parts.poll_ms);
  });
}
