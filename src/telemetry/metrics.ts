import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { Clock } from '../core/ports/clock.ts';
import type { Observer } from '../core/ports/observer.ts';
import type { QueueStats } from '../core/ports/store.ts';
import { type AgentMetrics, agentMetrics } from './metrics/agents.ts';
import { type ApiCalled, type ApiStats, apiMetrics } from './metrics/api.ts';
import { type BrokerLook, type DispatchEvents, dispatchMetrics } from './metrics/dispatch.ts';
import { engineMetrics } from './metrics/engine.ts';
import { boundedLabel } from './metrics/labels.ts';
import {
  type PoolWaiting,
  type ProviderCount,
  type ProviderMetrics,
  providerMetrics,
} from './metrics/providers.ts';
import { queueMetrics } from './metrics/queue.ts';

export type { ApiStats } from './metrics/api.ts';
export type { BrokerLook } from './metrics/dispatch.ts';

export type MetricsParts = {
  readonly clock: Clock;
  /** Read at most every few seconds, and only when somebody looks. */
  readonly stats: () => Promise<QueueStats>;
  readonly providers: () => readonly ProviderCount[];
  /** Nobody waits unless given. */
  readonly waiting?: (() => readonly PoolWaiting[]) | undefined;
  /** What the server tells of itself; null while there is none. */
  readonly server?: () => Promise<ApiStats | null>;
  /** Through which calls leave; null where there is none. */
  readonly broker?: (() => BrokerLook | null) | undefined;
  /** Names that may become labels. */
  readonly isProtocol: (name: string) => boolean;
  readonly isMethod: (name: string) => boolean;
};

/** Everything the product counts, in the format Prometheus reads. */
export class Metrics {
  readonly #registry = new Registry();
  readonly observer: Observer;
  readonly providerCall: ProviderMetrics['called'];
  readonly hedged: ProviderMetrics['hedged'];
  readonly translations: AgentMetrics;
  readonly apiCalled: ApiCalled;
  readonly dispatched: DispatchEvents;

  constructor({ clock, stats, providers, waiting = () => [], ...parts }: MetricsParts) {
    const { server, isProtocol, isMethod, broker = () => null } = parts;
    const registry = this.#registry;
    const protocolLabel = boundedLabel(isProtocol);
    queueMetrics({ registry, clock, stats, protocolLabel });
    this.observer = engineMetrics(registry, protocolLabel);
    const { called, hedged } = providerMetrics({ registry, providers, waiting, protocolLabel });
    this.providerCall = called;
    this.hedged = hedged;
    this.dispatched = dispatchMetrics({ registry, clock, broker });
    this.translations = agentMetrics(registry);
    this.apiCalled = apiMetrics({ registry, isMethod, stats: server ?? (async () => null) });
    // Ten times a second, as it would be, is most of what an idle server does.
    collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: 1000 });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Name, kind and labels of everything there is. */
  list(): { readonly name: string; readonly type: string; readonly labels: readonly string[] }[] {
    return this.#registry.getMetricsAsArray().map((metric) => {
      const labels = (metric as { labelNames?: readonly string[] }).labelNames ?? [];
      return { name: metric.name, type: metric.type, labels };
    });
  }
}
