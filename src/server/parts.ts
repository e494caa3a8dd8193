import type { Clock } from '../core/ports/clock.ts';
import type { Router } from '../core/ports/router.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { Engine } from '../engine/engine.ts';
import type { Definitions } from '../registry/definitions.ts';
import type { StoredProtocols } from '../registry/stored-protocols.ts';
import type { Pools } from '../router/pools.ts';
import type { ProviderStatus } from '../router/status.ts';
import type { Tickets } from './access/tickets.ts';
import type { Subscriptions } from './events/subscriptions.ts';

/** What the methods need of the house. Interfaces, so that whatever fulfils them can stand behind the API. */
export type ControlParts = {
  readonly engine: ControlEngine;
  readonly reads: StoreReads;
  readonly router: ControlRouter;
  readonly protocols: Pick<StoredProtocols, 'get' | 'list' | 'register'>;
  readonly definitions: Definitions;
  readonly subscriptions: Subscriptions;
  readonly tickets: Tickets;
  readonly clock: Clock;
  readonly system: SystemFacts;
  /** Whoever still waits for a result when we go is answered with how far it is, and asks again elsewhere or later. */
  readonly stopping: AbortSignal;
};

export type SystemFacts = {
  readonly version: string;
  readonly store: 'sqlite' | 'postgres' | 'simulated';
  /** The address of the server, for the OpenRPC document. */
  readonly url: () => string;
};

export type ControlEngine = Pick<
  Engine,
  | 'submit'
  | 'submitMany'
  | 'submitWorkflow'
  | 'findUnfinished'
  | 'result'
  | 'runResult'
  | 'cancelTask'
  | 'cancelRun'
  | 'pauseRun'
  | 'resumeRun'
  | 'retryTask'
  | 'retryRun'
  | 'pauseQueue'
  | 'resumeQueue'
  | 'paused'
  | 'trouble'
>;

export type ControlRouter = Pick<Router, 'protocols'> &
  Pick<Pools, 'drain' | 'resume' | 'test'> & {
    providers(): readonly ProviderStatus[];
    status(id: string): ProviderStatus | null;
  };
