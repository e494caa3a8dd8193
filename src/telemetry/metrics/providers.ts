import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { CALL_SECONDS } from './engine.ts';
import { boundedLabel } from './labels.ts';

export type ProviderCount = {
  readonly id: string;
  readonly in_flight: number;
  readonly breakers: readonly { readonly state: string }[];
  readonly rate: { readonly left: number } | null;
};

/** How many wait here for something of that kind, as far as this process knows. */
export type PoolWaiting = { readonly protocol: string; readonly kind: string; readonly waiting: number };

export type ProviderEnd = { readonly provider: string; readonly outcome: string; readonly ms: number };

export type ProviderMetricsParts = {
  readonly registry: Registry;
  readonly providers: () => readonly ProviderCount[];
  readonly waiting: () => readonly PoolWaiting[];
  readonly protocolLabel: (name: string) => string;
};

export type ProviderMetrics = {
  /** Told of each call as it ends. */
  readonly called: (call: ProviderEnd) => void;
  /** Told of each call that was made to more than one provider, as it ends. */
  readonly hedged: (protocol: string, ended: string) => void;
};

/** Calls to providers, and what keeps calls from them. */
export function providerMetrics(parts: ProviderMetricsParts): ProviderMetrics {
  const { registry, providers, protocolLabel } = parts;
  const registers = [registry];
  const providerLabel = boundedLabel();
  const durations = new Histogram({
    name: 'gleitzeit_provider_call_duration_seconds',
    help: 'How long calls to a provider took, by how they ended.',
    labelNames: ['provider', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  });
  new Gauge({
    name: 'gleitzeit_provider_calls_in_flight',
    help: 'Calls a provider has not answered yet.',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset();
      for (const { id, in_flight } of providers()) this.inc({ provider: providerLabel(id) }, in_flight);
    },
  });
  new Gauge({
    name: 'gleitzeit_provider_breakers',
    help: 'Methods of a provider that get no calls, or only a few that try, because calls of them failed.',
    labelNames: ['provider', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { id, breakers } of providers())
        for (const state of ['open', 'half_open'])
          this.inc(
            { provider: providerLabel(id), state },
            breakers.filter((one) => one.state === state).length,
          );
    },
  });
  new Gauge({
    name: 'gleitzeit_provider_rate_left',
    help: 'Calls that the rate of a provider allows now.',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset();
      for (const { id, rate } of providers())
        if (rate !== null) this.inc({ provider: providerLabel(id) }, rate.left);
    },
  });
  waitingMetric(parts);
  const hedges = new Counter({
    name: 'gleitzeit_hedges_total',
    help: 'Calls that were made to more than one provider because the first was slow.',
    labelNames: ['protocol', 'outcome'],
    registers,
  });
  return {
    called: ({ provider, outcome, ms }) =>
      durations.observe({ provider: providerLabel(provider), outcome }, ms / 1000),
    hedged: (protocol, outcome) => hedges.inc({ protocol: protocolLabel(protocol), outcome }),
  };
}

function waitingMetric({ registry, waiting, protocolLabel }: ProviderMetricsParts): void {
  new Gauge({
    name: 'gleitzeit_pool_waiting',
    help: 'Tasks that wait for a limit or for a provider that is left in peace, as far as this process knows.',
    labelNames: ['protocol', 'kind'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { protocol, kind, waiting: count } of waiting())
        this.inc({ protocol: protocolLabel(protocol), kind }, count);
    },
  });
}
