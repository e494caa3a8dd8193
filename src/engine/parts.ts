import type { KnownAgents } from '../core/ports/agents.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Clock, Timers } from '../core/ports/clock.ts';
import type { Dispatch } from '../core/ports/dispatch.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Observer } from '../core/ports/observer.ts';
import type { Random } from '../core/ports/random.ts';
import type { Router } from '../core/ports/router.ts';
import type { Schemas } from '../core/ports/schemas.ts';
import type { Store } from '../core/ports/store.ts';
import type { EngineOptions } from './options.ts';
import type { CallbackUrl } from './outside.ts';

/** Everything the engine touches is handed in (invariant 7), so the whole of it runs in a simulated world. */
export type EngineParts = {
  readonly store: Store;
  readonly schemas: Schemas;
  /** Those that tasks may name; left out, any name is taken, and its tasks wait for such an agent. */
  readonly agents?: KnownAgents | undefined;
  readonly router: Router;
  readonly dispatch: Dispatch;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Hears what the engine does, for metrics and traces; nobody by default. */
  readonly observer?: Observer;
  readonly hash: (text: string) => string;
  readonly options: EngineOptions;
  /** Where services can call back about a task; left out where nobody can reach us. */
  readonly callbackUrl?: CallbackUrl | undefined;
};
