import type { Lines } from './lines.ts';
import { dueLoop } from './maintenance/due.ts';
import { leaseLoop } from './maintenance/lease.ts';
import { Loop, type LoopParts } from './maintenance/loop.ts';
import { pruneLoop } from './maintenance/prune.ts';
import { rescueLoop } from './maintenance/rescue.ts';
import type { AbandonParts } from './outside.ts';
import type { Unserved } from './unserved.ts';
import type { Writer } from './writer.ts';

export type MaintenanceParts = LoopParts &
  AbandonParts & {
    readonly writer: Writer;
    readonly unserved: Unserved;
    readonly lines: Pick<Lines, 'callAll' | 'callSome'>;
    readonly owner: () => string;
    readonly lease_ttl_ms: number;
    readonly keep_ms: number;
    readonly poll_ms: number;
    /** Others have given this engine up. */
    readonly lost: () => void;
    /** Look for what other engines changed. */
    readonly poll: () => void;
  };

/** The engine's background duties. A store that only one engine can hold needs neither leases nor looking around. */
export class Maintenance {
  readonly #due: Loop;
  readonly #rescue: Loop;
  readonly #prune: Loop;
  readonly #lease: Loop;
  readonly #poll: Loop;

  constructor(parts: MaintenanceParts) {
    this.#due = dueLoop(parts);
    this.#rescue = rescueLoop({ ...parts, every_ms: parts.lease_ttl_ms / 3 });
    this.#prune = pruneLoop(parts);
    this.#lease = leaseLoop({ ...parts, ttl_ms: parts.lease_ttl_ms });
    this.#poll = new Loop('looking for changes', parts, async () => {
      parts.poll();
      return parts.poll_ms;
    });
  }

  start(shared: boolean): void {
    this.#rescue.start();
    this.#due.start();
    this.#prune.start();
    if (!shared) return;
    this.#lease.start();
    this.#poll.start();
  }

  /** A retry is due in so many milliseconds. */
  expectDue(ms: number): void {
    this.#due.within(ms);
  }

  /** On the way out: takes nothing more over, but stays alive for what still runs. */
  quiet(): void {
    this.#rescue.stop();
    this.#due.stop();
    this.#prune.stop();
    this.#poll.stop();
  }

  stop(): void {
    this.quiet();
    this.#lease.stop();
  }
}
