import { methodEntries } from '../api/methods.ts';
import type { Config } from '../config.ts';
import type { Dispatch } from '../core/ports/dispatch.ts';
import type { Logger } from '../core/ports/logger.ts';
import { noObserver, type Observer } from '../core/ports/observer.ts';
import type { Store } from '../core/ports/store.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { MethodTable, ObserveCall } from '../rpc/dispatch.ts';
import type { Connection } from '../rpc/listener/route.ts';
import { logCalls, logMethods } from '../telemetry/call-log.ts';
import { Metrics, type MetricsParts } from '../telemetry/metrics.ts';
import { allObservers } from '../telemetry/observers.ts';
import { type Otlp, startOtlp } from '../telemetry/otlp.ts';
import { traceAttempts, traceCalls, traceMethods } from '../telemetry/tracing.ts';

export type Observation = {
  readonly observer: Observer;
  readonly metrics: Metrics | null;
  /** Puts whatever looks at calls to providers around the dispatch. */
  watch(dispatch: Dispatch): Dispatch;
  /** The same for the calls of the API. */
  around(methods: MethodTable<Connection>): MethodTable<Connection>;
  readonly observeCall: ObserveCall | undefined;
  stop(deadline_ms: number): Promise<void>;
};

/** Methods whose trace goes on in the tasks they bring. */
const bringWork = ['task.submit', 'task.submit_many', 'workflow.submit', 'workflow.retry'];

export type ObservationParts = Pick<
  MetricsParts,
  'providers' | 'waiting' | 'isProtocol' | 'server' | 'broker'
> & {
  readonly config: Config;
  readonly version: string;
  readonly logger: Logger;
  readonly reads: Pick<Store['reads'], 'stats'>;
};

/** Metrics, traces and the log of calls, as far as the configuration wants them. */
export async function observe(parts: ObservationParts): Promise<Observation> {
  const { config, logger } = parts;
  const metrics = config.telemetry.metrics ? openMetrics(parts) : null;
  const otlp = await openTracing(parts);
  const observers = [
    ...(metrics === null ? [] : [metrics.observer]),
    ...(otlp === null ? [] : [traceAttempts(otlp.tracer)]),
  ];
  return {
    observer: observers.length === 0 ? noObserver : allObservers(observers),
    metrics,
    watch: (dispatch) => {
      const traced = otlp === null ? dispatch : traceCalls(dispatch, otlp.tracer);
      return config.logging.level === 'debug' ? logCalls(traced, logger) : traced;
    },
    around: (methods) => {
      const traced =
        otlp === null ? methods : traceMethods(methods, { tracer: otlp.tracer, names: bringWork });
      return config.logging.level === 'debug' ? logMethods(traced, logger) : traced;
    },
    observeCall: metrics?.apiCalled,
    stop: async (deadline_ms) => otlp?.stop(deadline_ms),
  };
}

function openMetrics({ reads, ...parts }: ObservationParts): Metrics {
  const methods = new Set<string>(methodEntries.map(([name]) => name));
  return new Metrics({
    clock: systemClock,
    stats: () => reads.stats(),
    ...parts,
    isMethod: (name) => methods.has(name),
  });
}

async function openTracing({ config, version, logger }: ObservationParts): Promise<Otlp | null> {
  const { otlp_endpoint, otlp_headers, sample_ratio, service_name } = config.telemetry;
  if (otlp_endpoint === undefined) return null;
  return startOtlp({
    endpoint: otlp_endpoint,
    headers: otlp_headers,
    sample_ratio,
    service_name,
    version,
    logger,
    timers: systemTimers,
  });
}
