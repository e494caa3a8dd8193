import type { Writer } from '../writer.ts';
import { Loop, type LoopParts } from './loop.ts';

/** Tells the store that this engine is alive; `lost` is called when others have given it up. */
export function leaseLoop(
  parts: LoopParts & { writer: Writer; owner: () => string; ttl_ms: number; lost: () => void },
): Loop {
  return new Loop('renewing the lease', parts, async () => {
    const owner = parts.owner();
    const { alive } = await parts.writer.write({ kind: 'beat', owner, ttl_ms: parts.ttl_ms });
    if (!alive && owner === parts.owner()) parts.lost();
    return parts.ttl_ms / 3;
  });
}
