import { afterEach, describe, expect, it } from 'vitest';
import { realParts } from '../dialects/jsonrpc/channels.suite.ts';
import { startHttpPeer } from '../dialects/jsonrpc/peers.suite.ts';
import { createProvider } from '../dialects/registry.ts';
import { startEngine } from '../dialects/testing/engine.suite.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { localDispatch } from '../router/local-dispatch.ts';
import { startCollector } from './collector.suite.ts';
import { lineLogger } from './logger.ts';
import { Metrics } from './metrics.ts';
import { allObservers } from './observers.ts';
import { startOtlp } from './otlp.ts';
import { traceAttempts, traceCalls, traceRequest } from './tracing.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const logger = lineLogger(
  'silent',
  () => {},
  () => new Date(),
);

async function setUp() {
  const collector = await startCollector();
  const parts = { endpoint: collector.url, service_name: 'g', version: '1', logger, timers: systemTimers };
  const otlp = await startOtlp(parts);
  const metrics: Metrics = new Metrics({
    clock: systemClock,
    stats: () => running.store.reads.stats(),
    providers: () => running.pools.providers(),
    isProtocol: () => true,
    isMethod: () => true,
  });
  const running = await startEngine({
    observer: allObservers([metrics.observer, traceAttempts(otlp.tracer)]),
    observe: metrics.providerCall,
    dispatch: traceCalls(localDispatch, otlp.tracer),
  });
  const peer = await startHttpPeer();
  ends.push(collector.stop, peer.stop, running.stop);
  const spec = { id: 'peer', protocol: 'act/v1', type: 'jsonrpc-http', config: { url: peer.url } };
  running.pools.connect(createProvider(spec, realParts));
  return { collector, otlp, metrics, ...running };
}

const act = (params: object, more: object = {}) => ({ protocol: 'act/v1', method: 'act', params, ...more });

describe('an engine that is watched', () => {
  it('tells metrics what it did, and leads the trace of the caller to the service', async () => {
    const { collector, otlp, metrics, engine } = await setUp();
    const request = traceRequest(otlp.tracer, { method: 'task.submit', traceparent: null });
    const { traceparent } = request;
    const once = { retry_config: { max_attempts: 2, initial_delay: 0.001 } };
    const good = await engine.submit(act({ do: 'echo', value: 'hunter2' }), { traceparent });
    request.ended(null);
    const bad = await engine.submit(act({ do: 'fail', how: 'passing', message: 'hunter2' }, once));
    for (const { tasks } of [good, bad]) await engine.result(tasks[0]?.[1] ?? '', 10_000);
    const seen = await engine.submit(act({ do: 'seen' }));
    const told = await engine.result(seen.tasks[0]?.[1] ?? '', 10_000);
    const text = await metrics.text();
    await otlp.stop(5000);

    const count = 'gleitzeit_provider_call_duration_seconds_count{provider="peer"';
    for (const line of [
      'gleitzeit_tasks_submitted_total{protocol="act/v1"} 3',
      'gleitzeit_tasks_settled_total{protocol="act/v1",status="completed"} 2',
      'gleitzeit_tasks_settled_total{protocol="act/v1",status="failed"} 1',
      'gleitzeit_retries_total{protocol="act/v1"} 1',
      'gleitzeit_attempt_duration_seconds_count{protocol="act/v1",outcome="done"} 2',
      'gleitzeit_attempt_duration_seconds_count{protocol="act/v1",outcome="server"} 2',
      'gleitzeit_attempts_running 0',
      `${count},outcome="done"} 2`,
      `${count},outcome="server"} 2`,
      'gleitzeit_provider_calls_in_flight{provider="peer"} 0',
      'gleitzeit_tasks{status="completed"} 2',
      'gleitzeit_tasks{status="failed"} 1',
    ])
      expect(text.split('\n')).toContain(line);

    const ofRequest = collector.spans().filter(({ traceId }) => traceparent.includes(traceId));
    expect(ofRequest.map(({ name }) => name).sort()).toEqual([
      'attempt act/v1 act',
      'call act',
      'task.submit',
    ]);
    const sent = ofRequest.find(({ name }) => name === 'call act');
    expect(told?.result).toContain(`"traceparent":"00-${sent?.traceId}-${sent?.spanId}-01"`);
    expect(collector.spans()).toHaveLength(1 + 4 * 2);
    expect(JSON.stringify(collector.requests) + text).not.toContain('hunter2');
  });
});
