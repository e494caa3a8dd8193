import type { JsonObject } from './json.ts';
import type { RetryConfig } from './retry.ts';
import { defaultRetry } from './retry.ts';

/** The built-in protocol whose providers are the agents, and its only method: a task says which agent it is for. */
export const AGENT_PROTOCOL = 'agent/v1';
export const AGENT_METHOD = 'send';

/** Retries as entries of agents write them: in milliseconds. */
export type AgentRetry = {
  readonly max_retries: number;
  readonly initial_delay_ms: number;
  readonly max_delay_ms: number;
  readonly backoff_multiplier: number;
};

export type AgentBreaker = {
  readonly enabled: boolean;
  readonly failure_threshold: number;
  readonly failure_rate_threshold: number;
  readonly timeout_seconds: number;
  readonly half_open_max_calls: number;
  readonly window_size_seconds: number;
};

/** How often it is asked how it is, in its own dialect, and how long an answer may take. */
export type AgentHealth = { readonly every_seconds: number; readonly timeout_seconds: number };

/** What it gets at most, whichever protocol its calls are of: calls at once, and in a while, as `10/s`. */
export type AgentLimits = { readonly concurrency?: number; readonly rate?: string; readonly burst?: number };

/** How its calls are held back, and how those of the protocols that it implements are spread over it and others. */
export type AgentPool = {
  readonly limits?: AgentLimits;
  readonly weight?: number;
  readonly tier?: number;
  readonly zone?: string;
  readonly models?: readonly string[];
};

/** What the agent is shown of who calls. Texts that are secret stand there sealed, or as `${secrets.name}` out of a file. */
export type AgentAuth = { readonly type: AuthType } & JsonObject;
export const authTypes = ['none', 'bearer', 'api_key', 'basic', 'oauth2', 'mtls'] as const;
export type AuthType = (typeof authTypes)[number];

/** What is said of an agent, complete. */
export type AgentSettings = AgentPool & {
  /** Unique, 1 to 255 characters. */
  readonly name: string;
  readonly url: string;
  readonly description: string | null;
  /** The dialect it speaks, under its name on the wire: `simple-a2a`, `jsonrpc-2.0`, `auto` … */
  readonly protocol: string;
  /** What that dialect has to be told. */
  readonly protocol_config: JsonObject;
  /** Protocols whose calls it takes besides tasks that name it: `web-search/v1`. */
  readonly implements: readonly string[];
  readonly auth_config: AgentAuth;
  /** How long a call may take, in milliseconds. */
  readonly timeout: number;
  /** For tasks that say nothing of retries themselves. */
  readonly retry_config: AgentRetry;
  readonly circuit_breaker_config: AgentBreaker;
  /** Left out: nobody asks, and only its calls tell. */
  readonly health_config?: AgentHealth;
  /** Who makes its calls: the engine, or bridges; left out, as the configuration of the server has it. */
  readonly via?: 'local' | 'bridge';
};

/** An agent as the registry knows it. */
export type AgentEntry = AgentSettings & {
  /** A UUID; an agent of a file has one that is made of its name. */
  readonly id: string;
  /** Where it was registered: over the API and kept in the store, or in the configuration of this program. */
  readonly source: 'api' | 'file';
  /** Raised with every change; 0 for an agent of a file. */
  readonly version: number;
  readonly created_at: number | null;
  readonly updated_at: number | null;
};

export const agentDefaults = {
  protocol: 'simple-a2a',
  timeout: 30_000,
  retry_config: {
    max_retries: 3,
    initial_delay_ms: 1000,
    max_delay_ms: 30_000,
    backoff_multiplier: 2,
  } satisfies AgentRetry,
  circuit_breaker_config: {
    enabled: true,
    failure_threshold: 5,
    failure_rate_threshold: 0.5,
    timeout_seconds: 60,
    half_open_max_calls: 3,
    window_size_seconds: 120,
  } satisfies AgentBreaker,
} as const;

/** For one that is asked how it is, where no more is said of that. */
export const agentHealth: AgentHealth = { every_seconds: 10, timeout_seconds: 2 };

/** The id under which an agent is a provider: of tasks that name it, or of a protocol that it implements. */
export function agentProviderId(name: string, protocol: string = AGENT_PROTOCOL): string {
  return protocol === AGENT_PROTOCOL ? `agent:${name}` : `agent:${name}@${protocol}`;
}

/** An agent's retries as the `retry_config` of a task that has none. */
export function taskRetryOf({ retry_config }: Pick<AgentSettings, 'retry_config'>): RetryConfig {
  const { max_retries, initial_delay_ms, max_delay_ms, backoff_multiplier } = retry_config;
  return {
    ...defaultRetry,
    max_attempts: max_retries + 1,
    initial_delay: initial_delay_ms / 1000,
    max_delay: max_delay_ms / 1000,
    multiplier: backoff_multiplier,
  };
}

/** An agent as it stands in the store. What is there as JSON text has its secrets sealed. */
export type AgentRow = NewAgent & {
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
};

/** One that is put there. Of an agent that is there already the id stays. */
export type NewAgent = {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly description: string | null;
  readonly protocol: string;
  readonly protocol_config: string;
  /** All that has no column of its own. */
  readonly settings: string;
};

/** What a secret is shown as, and what stands for the one that is there where an entry is changed. */
export const AGENT_MASK = '***';
