import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { type AgentMetrics, agentMetrics } from './metrics/agents.ts';
import { type BridgeEvents, type BridgeMetricsParts, bridgeMetrics } from './metrics/bridge.ts';
import { boundedLabel } from './metrics/labels.ts';
import { type ProviderCount, type ProviderMetrics, providerMetrics } from './metrics/providers.ts';

export type BridgeMetricsOptions = Omit<BridgeMetricsParts, 'registry'> & {
  readonly providers: () => readonly ProviderCount[];
  readonly isProtocol: (name: string) => boolean;
};

/** Everything a bridge counts, in the format Prometheus reads. What engines count as well has the same name. */
export class BridgeMetrics {
  readonly #registry = new Registry();
  readonly observer: BridgeEvents;
  readonly providerCall: ProviderMetrics['called'];
  readonly translations: AgentMetrics;

  constructor({ providers, isProtocol, ...parts }: BridgeMetricsOptions) {
    const registry = this.#registry;
    this.observer = bridgeMetrics({ registry, ...parts });
    const protocolLabel = boundedLabel(isProtocol);
    this.providerCall = providerMetrics({ registry, providers, waiting: () => [], protocolLabel }).called;
    this.translations = agentMetrics(registry);
    // Ten times a second, as it would be, is most of what an idle process does.
    collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: 1000 });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Name, kind and labels of everything there is. */
  list(): { readonly name: string; readonly type: string; readonly labels: readonly string[] }[] {
    return this.#registry.getMetricsAsArray().map((metric) => {
      const labels = (metric as { labelNames?: readonly string[] }).labelNames ?? [];
      return { name: metric.name, type: metric.type, labels };
    });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
