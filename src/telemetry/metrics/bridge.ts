import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Clock } from '../../core/ports/clock.ts';
import { CALL_SECONDS } from './engine.ts';
import { boundedLabel } from './labels.ts';

/** What a bridge is doing when somebody looks. */
export type BridgeCounts = {
  readonly running: number;
  readonly waiting: number;
  readonly held: number;
  readonly held_bytes: number;
};

/** In all, and by the number of the partition where there are any. */
export type LagCount = { readonly messages: number; readonly partitions: readonly number[] };

/** What a bridge tells of as it happens. */
export type BridgeEvents = {
  received(kind: string): void;
  deadLetter(error_code: string): void;
  answered(agent: string, outcome: string, ms: number): void;
  retried(agent: string): void;
  dropped(why: string): void;
};

export type BridgeMetricsParts = {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly counts: () => BridgeCounts | null;
  /** Messages that the group has not acknowledged. */
  readonly lag: () => Promise<LagCount>;
  readonly group: string;
  readonly reachable: () => boolean;
};

/** So long one answer of the broker serves. */
const CACHED_MS = 2000;

/** What a bridge does, counted. */
export function bridgeMetrics(parts: BridgeMetricsParts): BridgeEvents {
  bridgeGauges(parts);
  const registers = [parts.registry];
  const agentLabel = boundedLabel();
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers });
  const messages = counter('gleitzeit_bridge_messages_total', 'Messages that were taken.', ['kind']);
  const letters = counter('gleitzeit_bridge_dead_letters_total', 'Messages that could not be read.', [
    'error_code',
  ]);
  const retries = counter('gleitzeit_bridge_retries_total', 'Calls that were made again here.', [
    'agent_name',
  ]);
  const dropped = counter('gleitzeit_bridge_dropped_total', 'Calls that nothing was told of.', ['reason']);
  const durations = new Histogram({
    name: 'gleitzeit_bridge_call_duration_seconds',
    help: 'How long the calls took that results were told of.',
    labelNames: ['agent_name', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  });
  return {
    received: (kind) => messages.inc({ kind }),
    deadLetter: (error_code) => letters.inc({ error_code }),
    answered: (agent, outcome, ms) =>
      durations.observe({ agent_name: agentLabel(agent), outcome }, ms / 1000),
    retried: (agent) => retries.inc({ agent_name: agentLabel(agent) }),
    dropped: (reason) => dropped.inc({ reason }),
  };
}

function bridgeGauges({ registry, clock, counts, lag, group, reachable }: BridgeMetricsParts): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (counts: BridgeCounts) => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        const found = counts();
        this.set(found === null ? 0 : read(found));
      },
    });
  gauge('gleitzeit_bridge_calls_in_flight', 'Calls that are made now.', ({ running }) => running);
  gauge('gleitzeit_bridge_calls_waiting', 'Calls that wait for their turn.', ({ waiting }) => waiting);
  gauge('gleitzeit_bridge_held_messages', 'Messages in memory.', ({ held }) => held);
  gauge('gleitzeit_bridge_held_bytes', 'The same in bytes.', ({ held_bytes }) => held_bytes);
  const read = cached(lag, clock);
  new Gauge({
    ...{ name: 'gleitzeit_bridge_lag', labelNames: ['group'], registers },
    help: 'Messages that the group of bridges has not acknowledged yet.',
    async collect() {
      this.reset();
      const found = await read();
      if (found !== null) this.set({ group }, found.messages);
    },
  });
  new Gauge({
    ...{ name: 'gleitzeit_bridge_partition_lag', labelNames: ['group', 'partition'], registers },
    help: 'The same by partition, where the broker has partitions.',
    async collect() {
      this.reset();
      for (const [partition, count] of (await read())?.partitions.entries() ?? [])
        this.set({ group, partition: String(partition) }, count);
    },
  });
  new Gauge({
    ...{ name: 'gleitzeit_bridge_broker_up', registers },
    help: '1 while the broker can be reached, else 0.',
    collect() {
      this.set(reachable() ? 1 : 0);
    },
  });
}

/** Null where the broker does not tell. */
function cached(lag: () => Promise<LagCount>, clock: Clock): () => Promise<LagCount | null> {
  let asked: Promise<LagCount | null> = Promise.resolve(null);
  let since = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonic() - since > CACHED_MS) {
      since = clock.monotonic();
      asked = lag().catch(() => null);
    }
    return asked;
  };
}
