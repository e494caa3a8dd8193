import type { AgentEntry } from '../agent.ts';

/** The agents that tasks can name, as this engine knows them now. */
export interface KnownAgents {
  get(name: string): AgentEntry | undefined;
  /** In order. */
  names(): readonly string[];
  /** The same as `get`, but whoever was registered a moment ago by another engine is looked for in the store. */
  find(name: string): Promise<AgentEntry | undefined>;
}
