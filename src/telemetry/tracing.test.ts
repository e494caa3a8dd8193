import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../core/answer.ts';
import { errorRecord, GleitzeitError } from '../core/errors.ts';
import type { OutgoingCall, Sent } from '../core/ports/dispatch.ts';
import type { Observer } from '../core/ports/observer.ts';
import type { Provider } from '../core/ports/provider.ts';
import { defaultRetry } from '../core/retry.ts';
import { outgoingCall } from '../core/testing/calls.suite.ts';
import { readTraceparent } from '../core/trace-context.ts';
import { systemTimers } from '../embedded/system.ts';
import { attributesOf, type ReceivedSpan, startCollector } from './collector.suite.ts';
import { lineLogger } from './logger.ts';
import { type OtlpParts, startOtlp } from './otlp.ts';
import { traceAttempts, traceCalls, traceMethods, traceRequest } from './tracing.ts';

const callers = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function setUp(parts: Partial<OtlpParts> = {}) {
  const collector = await startCollector();
  stops.push(collector.stop);
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const logger = lineLogger('info', write, () => new Date(0));
  const otlp = await startOtlp({
    endpoint: collector.url,
    service_name: 'gleitzeit-test',
    version: '1.2.3',
    logger,
    timers: systemTimers,
    ...parts,
  });
  stops.push(() => otlp.stop(0));
  return { collector, ...otlp, lines };
}

const provider: Provider = {
  id: 'one',
  protocol: 'web/v1',
  hasMethod: () => true,
  call: () => Promise.reject(new Error('called through dispatch only')),
};

/** What the engine does with its observer and dispatch, for one attempt. */
async function runAttempt(
  parts: { observer: Observer; send: (call: OutgoingCall) => Promise<Sent> },
  traceparent: string | undefined,
) {
  const spec = {
    name: 'n',
    protocol: 'web/v1',
    method: 'search',
    dependencies: [],
    retry_config: defaultRetry,
    timeout: 30,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  const span = parts.observer.attemptStarted({
    task: { task_id: 't1', id: 'find', workflow_id: 'w1', priority: 'normal', created_at: 0 },
    spec,
    attempt: 2,
    provider: 'one',
  });
  const made = { method: 'search', params: { query: 'hunter2' }, workflow_id: 'w1', attempt: 2 };
  const answer = await parts.send({
    ...outgoingCall({ ...made, traceparent: span.traceparent ?? traceparent }),
    get signal(): AbortSignal {
      throw new Error('nobody asked for it');
    },
  });
  if (answer.word === 'handed_over' || answer.word === 'wait') span.left();
  else span.ended(answer, 5);
  return answer;
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name)}`);
  return found;
}

describe('traces', () => {
  it('lead from the caller over request and attempt to the service, and arrive at the collector', async () => {
    const { collector, tracer, stop } = await setUp({ headers: { 'x-tenant': 'a' } });
    const told: (string | undefined)[] = [];
    const dispatch = traceCalls(
      {
        send: async (_, call) => {
          told.push(call.traceparent);
          return { word: 'done', result: '"hunter2"' };
        },
      },
      tracer,
    );
    const request = traceRequest(tracer, { method: 'task.submit', traceparent: callers });
    request.ended(null);
    const observer = traceAttempts(tracer);
    await runAttempt({ observer, send: (call) => dispatch.send(provider, call) }, request.traceparent);
    await stop(5000);

    const spans = collector.spans();
    const submit = named(spans, 'task.submit');
    const attempt = named(spans, 'attempt web/v1 search');
    const call = named(spans, 'call search');
    expect(spans).toHaveLength(3);
    for (const { traceId } of spans) expect(traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(submit.parentSpanId).toBe('b7ad6b7169203331');
    expect(attempt.parentSpanId).toBe(submit.spanId);
    expect(call.parentSpanId).toBe(attempt.spanId);
    expect(told).toEqual([`00-${call.traceId}-${call.spanId}-01`]);
    expect(attributesOf(attempt)).toEqual({
      'gleitzeit.task_id': 't1',
      'gleitzeit.task': 'find',
      'gleitzeit.workflow_id': 'w1',
      'gleitzeit.protocol': 'web/v1',
      'gleitzeit.method': 'search',
      'gleitzeit.attempt': 2,
      'gleitzeit.provider': 'one',
      'gleitzeit.outcome': 'done',
    });
    expect(attributesOf(call)).toMatchObject({ 'rpc.method': 'search', 'gleitzeit.call_id': 't1' });
    const [received] = collector.requests;
    expect(received).toMatchObject({ url: '/v1/traces', headers: { 'x-tenant': 'a' } });
    expect(attributesOf(received?.body.resourceSpans[0]?.resource ?? { attributes: [] })).toMatchObject({
      'service.name': 'gleitzeit-test',
      'service.version': '1.2.3',
    });
    expect(JSON.stringify(collector.requests)).not.toContain('hunter2');
  });

  it('leave the call as it is but for the context', async () => {
    const { tracer } = await setUp();
    const passed: OutgoingCall[] = [];
    const dispatch = traceCalls(
      {
        send: async (_, call) => {
          passed.push(call);
          return { word: 'done', result: '1' };
        },
      },
      tracer,
    );
    const call = outgoingCall({
      ...{ generation: 2, kept: { job: 7 }, response: 'yes', report: () => {}, keep: async () => true },
      ...{ callback: { url: 'u', token: 't' }, expires_in_ms: 5, correlation_id: 't1/1' },
    });
    await dispatch.send(provider, call);
    expect(passed).toHaveLength(1);
    const [told = call] = passed;
    const { sealed, ...expected } = call;
    expect(told).toMatchObject(expected);
    expect(told.sealed()).toEqual(sealed());
    expect(told.traceparent).toMatch(/^00-/);
  });

  it('tell of an attempt that was handed over that it was', async () => {
    const { collector, tracer, stop } = await setUp();
    const dispatch = traceCalls({ send: async () => ({ word: 'handed_over', bound_ms: 5 }) }, tracer);
    const observer = traceAttempts(tracer);
    await runAttempt({ observer, send: (call) => dispatch.send(provider, call) }, undefined);
    await stop(5000);
    for (const name of ['attempt web/v1 search', 'call search'])
      expect(attributesOf(named(collector.spans(), name))).toMatchObject({
        'gleitzeit.outcome': 'handed_over',
      });
  });

  it('tell errors by their code alone', async () => {
    const { collector, tracer, stop } = await setUp();
    const failed: Answer = { word: 'failed', error: errorRecord('GLZ2001', 'hunter2 was wrong') };
    const dispatch = traceCalls({ send: async () => failed }, tracer);
    const observer = traceAttempts(tracer);
    await runAttempt({ observer, send: (call) => dispatch.send(provider, call) }, undefined);
    traceRequest(tracer, { method: 'task.status', traceparent: null }).ended('GLZ1010');
    await stop(5000);
    const spans = collector.spans();
    for (const name of ['attempt web/v1 search', 'call search'])
      expect(named(spans, name).status).toEqual({ code: 2, message: 'GLZ2001' });
    expect(attributesOf(named(spans, 'task.status'))).toMatchObject({ 'error.type': 'GLZ1010' });
    expect(JSON.stringify(collector.requests)).not.toContain('hunter2');
  });

  it('take up calls that bring work, and store what leads back to them', async () => {
    const { collector, tracer, stop } = await setUp();
    const seen: unknown[] = [];
    type Call = { context: { headers: NodeJS.Dict<string | string[]>; who: string }; params: number };
    const handle = ({ context, params }: Call) => {
      seen.push(context.headers['traceparent'], context.who, params);
      if (params === 2) throw new GleitzeitError('GLZ1001', 'hunter2 is no task');
      return params;
    };
    const methods = traceMethods<Call>(
      new Map([
        ['task.submit', handle],
        ['task.status', handle],
      ]),
      { tracer, names: ['task.submit'] },
    );
    const context = { headers: { traceparent: callers, other: 'x' }, who: 'me' };
    expect(await methods.get('task.submit')?.({ context, params: 1 })).toBe(1);
    await expect(methods.get('task.submit')?.({ context, params: 2 })).rejects.toThrow('hunter2');
    expect(methods.get('task.status')?.({ context, params: 3 })).toBe(3);
    await stop(5000);
    const [first, second] = collector.spans();
    expect(collector.spans()).toHaveLength(2);
    expect(seen).toEqual([
      `00-${first?.traceId}-${first?.spanId}-01`,
      'me',
      1,
      `00-${second?.traceId}-${second?.spanId}-01`,
      'me',
      2,
      callers,
      'me',
      3,
    ]);
    expect(first).toMatchObject({ name: 'task.submit', parentSpanId: 'b7ad6b7169203331' });
    expect(second?.status).toEqual({ code: 2, message: 'GLZ1001' });
    expect(JSON.stringify(collector.requests)).not.toContain('hunter2');
  });

  it('begin anew where the caller brought none, or nonsense', async () => {
    const { collector, tracer, stop } = await setUp();
    const nonsense = traceRequest(tracer, { method: 'a', traceparent: '00-xyz' });
    const none = traceRequest(tracer, { method: 'b', traceparent: null });
    nonsense.ended(null);
    none.ended(null);
    await stop(5000);
    const spans = collector.spans();
    expect(spans).toHaveLength(2);
    for (const { parentSpanId } of spans) expect(parentSpanId ?? '').toBe('');
    for (const { traceparent } of [nonsense, none]) expect(readTraceparent(traceparent)).toBe(traceparent);
  });

  it('follow the decision of the caller, and the share for those begun here', async () => {
    const { collector, tracer, stop } = await setUp({ sample_ratio: 0 });
    const unsampled = callers.replace(/01$/, '00');
    const requests = [callers, unsampled, null].map((traceparent) =>
      traceRequest(tracer, { method: `from ${traceparent}`, traceparent }),
    );
    for (const request of requests) request.ended(null);
    expect(requests.map(({ traceparent }) => traceparent.slice(-2))).toEqual(['01', '00', '00']);
    await stop(5000);
    expect(collector.spans().map(({ name }) => name)).toEqual([`from ${callers}`]);
  });

  it('say once that they do not arrive, and do not hold up the end', async () => {
    const { collector, tracer, stop, lines } = await setUp();
    collector.answerWith(400);
    for (let n = 0; n < 600; n++) traceRequest(tracer, { method: 'a', traceparent: null }).ended(null);
    await stop(5000);
    expect(collector.requests.length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
  });

  it('end in time also when the collector is gone', async () => {
    const { collector, tracer, stop } = await setUp();
    await collector.stop();
    traceRequest(tracer, { method: 'a', traceparent: null }).ended(null);
    await stop(200);
  });
});
