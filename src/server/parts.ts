import type { ResultOf } from '../api/methods.ts';
import type { AgentEntry } from '../core/agent.ts';
import type { Functions } from '../core/function-call.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { StoreReads } from '../core/ports/store.ts';
import type { Engine } from '../engine/engine.ts';
import type { Served } from '../engine/views.ts';
import type { Agents } from '../registry/agents.ts';
import type { Definitions } from '../registry/definitions.ts';
import type { StoredProtocols } from '../registry/stored-protocols.ts';
import type { CallStats } from '../router/call-stats.ts';
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
  readonly agents: ControlAgents;
  /** What the functions that tasks of earlier generations call are today. */
  readonly functions: () => Functions;
  /** What calls came to, those of other engines included. */
  readonly stats: Pick<CallStats, 'report'>;
  readonly subscriptions: Subscriptions;
  readonly tickets: Tickets;
  readonly clock: Clock;
  readonly system: SystemFacts;
  /** Whoever still waits for a result when we go is answered with how far it is, and asks again elsewhere or later. */
  readonly stopping: AbortSignal;
};

export type AgentPing = Omit<ResultOf<'agent.ping'>, 'name'>;
export type AgentCheck = Omit<ResultOf<'agent.check'>, 'name'>;
export type Discovered = ResultOf<'agent.discover'>;
type Asked = { readonly timeout_ms?: number | undefined; readonly signal: AbortSignal };

/** Agents by name, and what can be found out about them. */
export type ControlAgents = Pick<Agents, 'load' | 'get' | 'list' | 'create' | 'update' | 'remove'> & {
  /** Why an agent cannot be called from here; null for nothing. */
  problem(name: string): string | null;
  /** With its secrets in the clear. */
  reveal(entry: AgentEntry): AgentEntry;
  ping(entry: AgentEntry, asked: Asked): Promise<AgentPing>;
  check(entry: AgentEntry, asked: Asked & { readonly text?: string | undefined }): Promise<AgentCheck>;
  discover(asked: Asked & { readonly url: string }): Promise<Discovered>;
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
  | 'responses'
  | 'retryRun'
  | 'pauseQueue'
  | 'resumeQueue'
  | 'seen'
  | 'trouble'
>;

export type ControlRouter = Served &
  Pick<Pools, 'test'> & {
    /** False where there is no such provider. */
    drain(id: string): boolean | Promise<boolean>;
    resume(id: string): boolean | Promise<boolean>;
    providers(): readonly ProviderStatus[];
    status(id: string): ProviderStatus | null;
  };
