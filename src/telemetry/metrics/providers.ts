import { Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { CALL_SECONDS } from './engine.ts';
import { boundedLabel } from './labels.ts';

export type ProviderCount = { readonly id: string; readonly in_flight: number };

export type ProviderEnd = { readonly provider: string; readonly outcome: string; readonly ms: number };

/** Calls to providers; the returned function is told of each as it ends. */
export function providerMetrics(
  registry: Registry,
  providers: () => readonly ProviderCount[],
): (call: ProviderEnd) => void {
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
  return ({ provider, outcome, ms }) =>
    durations.observe({ provider: providerLabel(provider), outcome }, ms / 1000);
}
