import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { Clock } from '../../core/ports/clock.ts';
import type { LagCount } from './bridge.ts';
import { boundedLabel } from './labels.ts';

/** What an engine tells of calls that leave through a broker, as it happens. */
export type DispatchEvents = {
  published(provider: string): void;
  waited(): void;
  arrived(kind: string): void;
  settled(outcome: string): void;
  deadLetter(topic: string, error_code: string): void;
  monitored(count: number): void;
};

/** The broker, for whoever looks. */
export type BrokerLook = {
  readonly up: boolean;
  /** What engines have not acknowledged yet, by topic. */
  lag(): Promise<Readonly<Record<string, LagCount>>>;
};

export type DispatchMetricsParts = {
  readonly registry: Registry;
  readonly clock: Clock;
  /** Null where there is no broker. */
  readonly broker: () => BrokerLook | null;
};

/** So long one answer of the broker serves. */
const CACHED_MS = 2000;

/** What an engine does with a broker, counted. */
export function dispatchMetrics({ registry, clock, broker }: DispatchMetricsParts): DispatchEvents {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Counter({ name: `gleitzeit_dispatch_${name}`, help, labelNames: [...labelNames], registers });
  const providerLabel = boundedLabel();
  const published = counter('published_total', 'Calls that were published for bridges to make.', [
    'provider',
  ]);
  const waits = counter('waits_total', 'Times that a call waited because the broker was away.');
  const arrivals = counter('arrivals_total', 'What came over the broker.', ['kind']);
  const results = counter('results_total', 'Results by what became of them.', ['outcome']);
  const letters = counter('dead_letters_total', 'Messages that nobody could do anything with.', [
    ...['topic', 'error_code'],
  ]);
  const updates = counter('monitoring_updates_total', 'Updates that were published for those who look on.');
  brokerGauges({ registry, clock, broker });
  return {
    published: (provider) => published.inc({ provider: providerLabel(provider) }),
    waited: () => waits.inc(),
    arrived: (kind) => arrivals.inc({ kind }),
    settled: (outcome) => results.inc({ outcome }),
    deadLetter: (topic, error_code) => letters.inc({ topic, error_code }),
    monitored: (count) => updates.inc(count),
  };
}

function brokerGauges({ registry, clock, broker }: DispatchMetricsParts): void {
  const registers = [registry];
  const lag = cached(broker, clock);
  new Gauge({
    ...{ name: 'gleitzeit_dispatch_lag', labelNames: ['topic'], registers },
    help: 'Messages for engines that none of them has acknowledged yet.',
    async collect() {
      this.reset();
      for (const [topic, { messages }] of Object.entries(await lag())) this.set({ topic }, messages);
    },
  });
  new Gauge({
    ...{ name: 'gleitzeit_dispatch_partition_lag', labelNames: ['topic', 'partition'], registers },
    help: 'The same by partition, where the broker has partitions.',
    async collect() {
      this.reset();
      for (const [topic, { partitions }] of Object.entries(await lag()))
        for (const [partition, count] of partitions.entries())
          this.set({ topic, partition: String(partition) }, count);
    },
  });
  new Gauge({
    ...{ name: 'gleitzeit_dispatch_broker_up', labelNames: [], registers },
    help: '1 while the broker can be reached, else 0; 1 without one.',
    collect() {
      this.set(broker()?.up === false ? 0 : 1);
    },
  });
}

/** Nothing where the broker does not tell. */
function cached(broker: DispatchMetricsParts['broker'], clock: Clock) {
  let asked: Promise<Readonly<Record<string, LagCount>>> = Promise.resolve({});
  let since = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.monotonic() - since > CACHED_MS) {
      since = clock.monotonic();
      asked = (broker()?.lag() ?? Promise.resolve({})).catch(() => ({}));
    }
    return asked;
  };
}
