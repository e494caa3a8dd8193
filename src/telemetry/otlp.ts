import type { Tracer } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { GleitzeitError } from '../core/errors.ts';
import type { Timers } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';

/** Spans that wait to be sent; what comes beyond is dropped, never held. */
const QUEUE = 8192;
const BATCH = 512;
const DELAY_MS = 1000;
const EXPORT_MS = 10_000;

export type OtlpParts = {
  /** Base address of the collector, `http://localhost:4318`, or the whole one for traces. */
  readonly endpoint: string;
  readonly service_name: string;
  readonly version: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The share of traces begun here that is recorded; those of others follow their caller's decision. */
  readonly sample_ratio?: number;
  readonly logger: Logger;
  readonly timers: Timers;
};

export type Otlp = { readonly tracer: Tracer; stop(deadline_ms: number): Promise<void> };

/** Sends spans to a collector. The SDK is loaded here and nowhere else, so whoever does not trace does not pay for it. */
export async function startOtlp(parts: OtlpParts): Promise<Otlp> {
  const { sdk, resources, exporter } = await loadSdk();
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': parts.service_name,
      'service.version': parts.version,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(parts.sample_ratio ?? 1) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: toldOf(
          new exporter.OTLPTraceExporter({
            url: tracesUrl(parts.endpoint),
            headers: { ...parts.headers },
            timeoutMillis: EXPORT_MS,
          }),
          parts.logger,
        ),
        maxQueueSize: QUEUE,
        maxExportBatchSize: BATCH,
        scheduledDelayMillis: DELAY_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('gleitzeit', parts.version),
    stop: (deadline_ms) => stop(provider, { ...parts, deadline_ms }),
  };
}

async function loadSdk() {
  try {
    const [sdk, resources, exporter] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { sdk, resources, exporter };
  } catch (thrown) {
    throw new GleitzeitError(
      'GLZ1012',
      'traces are to be sent, but the parts for it are not installed',
      {
        field: 'telemetry.otlp_endpoint',
        hint: 'npm install @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http',
      },
      thrown,
    );
  }
}

/** The rule of OTEL_EXPORTER_OTLP_ENDPOINT: the path of the signal is put behind the base. */
function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
}

/** Says once that spans do not arrive, and once that they do again. */
function toldOf(exporter: SpanExporter, logger: Logger): SpanExporter {
  let failing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !failing)
          logger.warn('traces cannot be sent and are dropped', { error: result.error?.message });
        if (!failed && failing) logger.info('traces are sent again');
        failing = failed;
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

type StopParts = { readonly timers: Timers; readonly logger: Logger; readonly deadline_ms: number };

/** What is left is sent if that can be done in time. */
async function stop(provider: { shutdown(): Promise<void> }, parts: StopParts): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const cancel = parts.timers.after(parts.deadline_ms, resolve);
  try {
    await Promise.race([provider.shutdown(), timeUp]);
  } catch (thrown) {
    parts.logger.warn('the last traces could not be sent', { error: GleitzeitError.from(thrown).message });
  } finally {
    cancel();
  }
}
