import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { callWith } from '../core/call-with.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Dispatch, Sent } from '../core/ports/dispatch.ts';
import { noObserver, type Observer } from '../core/ports/observer.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import { readTraceparent } from '../core/trace-context.ts';
import { sendingBy } from './sending-by.ts';

/** Spans of attempts, under the trace the task was submitted with. They tell who and what, never payloads. */
export function traceAttempts(tracer: Tracer): Observer {
  return {
    ...noObserver,
    attemptStarted: ({ task, spec, attempt, provider }) => {
      const attributes: Attributes = {
        'gleitzeit.task_id': task.task_id,
        'gleitzeit.task': task.id,
        'gleitzeit.protocol': spec.protocol,
        'gleitzeit.method': spec.method,
        'gleitzeit.attempt': attempt,
        ...(task.workflow_id === null ? {} : { 'gleitzeit.workflow_id': task.workflow_id }),
        ...(provider === null ? {} : { 'gleitzeit.provider': provider }),
      };
      const options = { kind: SpanKind.CONSUMER, attributes };
      const name = `attempt ${spec.protocol} ${spec.method}`;
      const span = tracer.startSpan(name, options, contextOf(spec.traceparent));
      return {
        traceparent: traceparentOf(span),
        ended: (answer) => end(span, answer),
        left: () => {
          span.setAttribute('gleitzeit.outcome', 'handed_over');
          span.end();
        },
      };
    },
  };
}

/** A span for each call to a provider, whose context the service is told. */
export function traceCalls(inner: Dispatch, tracer: Tracer): Dispatch {
  return sendingBy(inner, async (provider, call) => {
    const span = tracer.startSpan(
      `call ${call.method}`,
      { kind: SpanKind.CLIENT, attributes: callAttributes(provider, call) },
      contextOf(call.traceparent),
    );
    const sent = await inner.send(provider, callWith(call, { traceparent: traceparentOf(span) }));
    end(span, sent);
    return sent;
  });
}

function callAttributes(provider: Provider, call: ProviderCall): Attributes {
  return {
    'rpc.service': provider.protocol,
    'rpc.method': call.method,
    'gleitzeit.call_id': call.call_id,
    'gleitzeit.provider': provider.id,
  };
}

/** What comes in from outside and may bring work with it. */
export type RequestSpan = {
  /** To be stored with the work, so that its attempts belong to the same trace. */
  readonly traceparent: string;
  /** Null for success. */
  ended(error_code: ErrorCode | null): void;
};

export function traceRequest(
  tracer: Tracer,
  request: { readonly method: string; readonly traceparent: string | null },
): RequestSpan {
  const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': request.method };
  const options = { kind: SpanKind.SERVER, attributes };
  const span = tracer.startSpan(request.method, options, contextOf(request.traceparent));
  return {
    traceparent: traceparentOf(span),
    ended: (error_code) => {
      if (error_code !== null) fail(span, error_code);
      span.end();
    },
  };
}

/** Calls of methods as the listener hands them on. */
type TracedCall = {
  readonly context: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> };
};

/**
 * A span for each call of the named methods, those that bring work. The method finds its context in place of the
 * caller's, so that it is stored with the work.
 */
export function traceMethods<Call extends TracedCall>(
  methods: ReadonlyMap<string, (call: Call) => unknown>,
  { tracer, names }: { tracer: Tracer; names: readonly string[] },
): ReadonlyMap<string, (call: Call) => unknown> {
  const traced = (method: string, handle: (call: Call) => unknown) => async (call: Call) => {
    const { headers } = call.context;
    const span = traceRequest(tracer, { method, traceparent: readTraceparent(headers['traceparent']) });
    const context = { ...call.context, headers: { ...headers, traceparent: span.traceparent } };
    try {
      const result = await handle({ ...call, context });
      span.ended(null);
      return result;
    } catch (thrown) {
      span.ended(GleitzeitError.from(thrown).code);
      throw thrown;
    }
  };
  return new Map(
    [...methods].map(([name, handle]) => [name, names.includes(name) ? traced(name, handle) : handle]),
  );
}

function end(span: Span, answer: Sent | null): void {
  if (answer?.word === 'failed') fail(span, answer.error.data.error_code);
  else span.setAttribute('gleitzeit.outcome', answer?.word ?? 'dropped');
  span.end();
}

/** The code alone: a service's words may repeat what it was sent. */
function fail(span: Span, error_code: ErrorCode): void {
  span.setAttribute('error.type', error_code);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error_code });
}

function contextOf(traceparent: string | null | undefined): Context {
  const checked = readTraceparent(traceparent);
  if (checked === null) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = checked.split('-');
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
}
