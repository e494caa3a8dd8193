import type { AttemptName } from '../../core/attempt-name.ts';
import type { Json } from '../../core/json.ts';
import type { Cipher } from '../../core/ports/cipher.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Random } from '../../core/ports/random.ts';
import type { Router } from '../../core/ports/router.ts';
import type { Schemas } from '../../core/ports/schemas.ts';
import type { RetryConfig } from '../../core/retry.ts';
import type { Broker } from '../broker.ts';
import type { AgentTask } from '../messages/agent-task.ts';
import type { Topics } from '../topics.ts';
import type { BridgeObserver } from './observer.ts';

/** Who is meant by a message, and how it is called. */
export type Callee = {
  /** The id of the provider. */
  readonly provider: string;
  readonly protocol: string;
  readonly method: string;
  /** For people: the name of the agent, and what it speaks. */
  readonly agent: string;
  readonly dialect: string;
  /** For tasks that say nothing of it themselves, which are those of other executors. */
  readonly timeout_ms: number;
  readonly retry: RetryConfig;
  /** Whether its calls may leave something to go on from. */
  readonly keeps: boolean;
};

/** Agents and providers, as engines know them. */
export interface Directory {
  /** Null where nobody of that name is known here. */
  find(task: AgentTask): Callee | null;
  /** Looks where it may have been registered meanwhile. Rejects where that cannot be read now. */
  lookFor(task: AgentTask): Promise<Callee | null>;
}

export type BridgeTopics = Pick<
  Topics,
  'tasks' | 'results' | 'kept' | 'updates' | 'control' | 'dead_letters'
>;

export type BridgeOptions = {
  readonly topics: BridgeTopics;
  readonly group: string;
  /** Calls to one agent at the same time. */
  readonly concurrency: number;
  /** Messages, and bytes of them, that are held at the same time; then no more are taken. */
  readonly most_messages: number;
  readonly most_bytes: number;
};

export type BridgeParts = {
  /** Which bridge this is, for those who hear of it. */
  readonly name: string;
  readonly broker: Broker;
  readonly router: Router;
  readonly directory: Directory;
  readonly schemas: Pick<Schemas, 'secrets'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer: BridgeObserver;
  /** What an earlier call of the same attempt kept, where a store can be asked for it. */
  readonly keptOf?: ((name: AttemptName) => Promise<Json | undefined>) | undefined;
  readonly options: BridgeOptions;
};
