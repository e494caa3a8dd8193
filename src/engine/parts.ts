import type { Cipher } from '../core/ports/cipher.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Dispatch } from '../core/ports/dispatch.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Random } from '../core/ports/random.ts';
import type { Router } from '../core/ports/router.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import type { Store } from '../core/ports/store.ts';

export type EngineOptions = {
  /** Calls that run at the same time. */
  readonly concurrency: number;
  /** How long others wait before they take over from an engine that says nothing. */
  readonly lease_ttl_ms: number;
  /** How long finished runs are kept. */
  readonly keep_ms: number;
  /** So many writes make a commit at once; more where a commit costs more. */
  readonly few_writes: number;
  /** Commits under way: the store works on one while the next is made ready and waits there. */
  readonly commits_at_once: number;
  /** How often to look for what other engines changed, in case their word did not reach us. */
  readonly poll_ms: number;
};

export const defaultOptions: EngineOptions = {
  concurrency: 256,
  lease_ttl_ms: 3000,
  keep_ms: 30 * 24 * 3600 * 1000,
  few_writes: 32,
  commits_at_once: 2,
  poll_ms: 1000,
};

/** Everything the engine touches is handed in (invariant 7), so the whole of it runs in a simulated world. */
export type EngineParts = {
  readonly store: Store;
  readonly schemas: Schemas;
  readonly router: Router;
  readonly dispatch: Dispatch;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  readonly hash: (text: string) => string;
  readonly options: EngineOptions;
};
