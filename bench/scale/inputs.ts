import { readFileSync } from 'node:fs';

export type CostName = 'engine_us' | 'bridge_us' | 'kafka_us' | 'postgres_us' | 'feed_us' | 'commit_us';

export type Cost = {
  /** Microseconds; null where nobody has measured it. */
  readonly value: number | null;
  readonly is: 'measured' | 'at_most' | 'at_least' | 'unknown';
  /** Where the figure comes from. */
  readonly measured: string;
  /** What would give a better one. */
  readonly better: string;
};

export type Load = {
  readonly steps_per_second: number;
  readonly agent_ms: number;
  /** How many agents share the calls evenly. */
  readonly agents: number;
};

export type Setup = {
  readonly engines: number;
  readonly bridges: number;
  /** Of the topic of tasks. */
  readonly partitions: number;
  /** Calls of one agent that one engine may have with the broker. */
  readonly window: number;
  /** Calls to one agent that one bridge makes at the same time. */
  readonly concurrency: number;
  readonly kafka_cores: number;
  readonly postgres_cores: number;
};

export type Inputs = {
  readonly costs: Readonly<Record<CostName, Cost>>;
  readonly load: Load & { readonly times: readonly number[] };
  readonly setup: Setup;
  readonly ends: Pick<Setup, 'postgres_cores' | 'window' | 'concurrency'>;
  /** The share of what it could do that a part is given to do, so that nothing waits for long. */
  readonly busy: number;
};

export function readInputs(file: URL = new URL('inputs.json', import.meta.url)): Inputs {
  return JSON.parse(readFileSync(file, 'utf8')) as Inputs;
}
