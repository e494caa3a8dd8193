import type { Cipher } from '../../core/ports/cipher.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Broker } from '../broker.ts';
import type { Groups, Topics } from '../topics.ts';
import type { ExecutorObserver } from './observer.ts';

export type ExecutorOptions = {
  readonly topics: Topics;
  readonly groups: Groups;
  /** Of topics that are created here. */
  readonly partitions: number;
  /** How long a call may wait at the broker, and run beyond its own timeout, before the attempt is given up. */
  readonly wait_ms: number;
  /** Work that is held at the same time, of each kind. */
  readonly most_unacknowledged: number;
};

export type ExecutorParts = {
  /** Which engine this is, for those who have news for it: one process never has the name of another. */
  readonly name: string;
  readonly broker: Broker;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly observer: ExecutorObserver;
  readonly options: ExecutorOptions;
};
