import type { Cipher } from '../../core/ports/cipher.ts';
import type { Clock, Timers } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Random } from '../../core/ports/random.ts';
import type { StoreReads } from '../../core/ports/store.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AgentLines } from '../protocol/ask.ts';
import type { TimeoutPolicy } from '../protocol/timeout-policy.ts';
import type { AgentKind, LeagueRules } from './facts.ts';

export type ManagerOptions = LeagueRules & {
  /** What an administrator proves itself by. */
  readonly admin_token: string;
  readonly timeouts: TimeoutPolicy;
  /** After so many messages that break a rule an agent is suspended. */
  readonly violations_allowed: number;
  /** So many of each kind are taken: everybody meets everybody, so matches grow with the square of the players. */
  readonly most_agents: Readonly<Record<AgentKind, number>>;
  /** Hosts besides this machine at which agents may have their endpoints. */
  readonly agent_hosts: readonly string[];
  /** The log as a file; null for none. */
  readonly audit_path: string | null;
  /** How often referees that have a match are looked after. */
  readonly probe_ms: number;
};

export const defaultManagerOptions = {
  violations_allowed: 20,
  most_agents: { referee: 1000, player: 1000 },
  agent_hosts: [],
  audit_path: null,
  probe_ms: 1000,
  games: {},
} as const;

/** What of the engine carries a league: rounds are workflows, matches tasks that are settled from outside. */
export type LeagueEngine = Pick<Engine, 'submitWorkflow' | 'runResult' | 'responses' | 'putDocument'>;

export type ManagerParts = {
  /** A function, since the engine is made with what the manager provides. */
  readonly engine: () => LeagueEngine;
  readonly reads: Pick<StoreReads, 'document' | 'documents' | 'task'>;
  readonly lines: Pick<AgentLines, 'ask' | 'isThere' | 'matchesOf'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  readonly options: ManagerOptions;
};
