import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attributesOf, type ReceivedSpan, startCollector } from '../../src/telemetry/collector.suite.ts';
import { ask, JSON_HEADERS, requestText } from './ask.ts';
import { call } from './call.ts';
import { echoProtocols, settledTask, submitEcho } from './echo.ts';
import { type HeldAgent, type HeldCall, heldAgent } from './held-agent.ts';
import type { LogEntry } from './program.ts';
import { openScene, type Scene, type Server } from './scene.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

let scene: Scene;
let agent: HeldAgent;
let collector: Awaited<ReturnType<typeof startCollector>>;
let server: Server;
let metrics: string;
let task_id: string;
let workflow_id: string;
const calls: HeldCall[] = [];

beforeAll(async () => {
  scene = openScene();
  agent = await heldAgent();
  collector = await startCollector();
  server = await scene.serve(
    {
      server: { port: 0 },
      secrets: { collector: { env: 'COLLECTOR_TOKEN' } },
      protocols: echoProtocols({ agent: { url: agent.url } }),
      logging: { level: 'debug' },
      telemetry: {
        otlp_endpoint: collector.url,
        otlp_headers: { 'x-api-key': '${secrets.collector}' },
        service_name: 'gleitzeit-under-test',
      },
    },
    { env: { COLLECTOR_TOKEN: 'for the collector' } },
  );
  await work();
  metrics = (await ask(`${server.url}/metrics`)).text;
  server.signal('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
});
afterAll(async () => {
  await scene.close();
  await agent.close();
  await collector.stop();
});

/** A workflow of one task, submitted by a caller who traces; a task alone, which fails; and a call of nothing. */
async function work(): Promise<void> {
  const tasks = [{ id: 'only', protocol: 'echo/v1', method: 'say', params: { text: 'payload-of-the-task' } }];
  const submitted = await ask(`${server.url}/rpc`, {
    headers: { ...JSON_HEADERS, traceparent: `00-${TRACE}-${CALLER}-01` },
    body: requestText('workflow.submit', { workflow: { name: 'traced', tasks } }),
  });
  ({ workflow_id } = JSON.parse(submitted.text).result);
  task_id = JSON.parse(submitted.text).result.tasks.only;
  await answerNext({ result: 'payload-of-the-agent' });
  await settledTask(server.url, task_id);
  const failing = await submitEcho(server.url, 'alone');
  await answerNext({ error: { code: -32602, message: 'no' } });
  await settledTask(server.url, failing);
  await call(server.url, 'no.such', {}).catch(() => {});
}

async function answerNext(answer: Parameters<HeldCall['reply']>[0]): Promise<void> {
  const held = await agent.next();
  calls.push(held);
  held.reply(answer);
}

describe('a trace', () => {
  const named = (name: string): ReceivedSpan => {
    const spans = collector.spans().filter((span) => span.traceId === TRACE);
    const found = spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no ${name} among ${spans.map((span) => span.name)}`);
    return found;
  };

  it('leads from the caller over submit, attempt and call to the agent', () => {
    const submit = named('workflow.submit');
    const attempt = named('attempt echo/v1 say');
    const sent = named('call say');
    expect([submit.parentSpanId, attempt.parentSpanId, sent.parentSpanId]).toEqual([
      CALLER,
      submit.spanId,
      attempt.spanId,
    ]);
    expect(calls[0]?.headers['traceparent']).toBe(`00-${TRACE}-${sent.spanId}-01`);
    expect(attributesOf(attempt)).toMatchObject({
      'gleitzeit.task_id': task_id,
      'gleitzeit.workflow_id': workflow_id,
      'gleitzeit.provider': 'agent',
    });
  });

  it('of a task that nobody traces is its own, and tells of the failure', () => {
    const [, , traceId, spanId] =
      /^(00)-(\w{32})-(\w{16})-01$/.exec(calls[1]?.headers['traceparent'] as string) ?? [];
    expect(traceId).not.toBe(TRACE);
    const sent = collector.spans().find((span) => span.spanId === spanId);
    expect(sent).toMatchObject({ traceId, status: { code: 2 } });
  });

  it('is sent as the collector wants it', () => {
    const [request] = collector.requests;
    expect(request).toMatchObject({ url: '/v1/traces', headers: { 'x-api-key': 'for the collector' } });
    const [resource] = request?.body.resourceSpans.map((spans) => attributesOf(spans.resource)) ?? [];
    expect(resource).toMatchObject({ 'service.name': 'gleitzeit-under-test' });
  });
});

describe('/metrics', () => {
  it.each([
    ['queue', 'gleitzeit_tasks{status="completed"} 1'],
    ['queue', '# TYPE gleitzeit_queue_depth gauge'],
    ['engine', 'gleitzeit_tasks_submitted_total{protocol="echo/v1"} 2'],
    ['engine', 'gleitzeit_tasks_settled_total{protocol="echo/v1",status="failed"} 1'],
    ['engine', 'gleitzeit_attempt_duration_seconds_count{protocol="echo/v1",outcome="done"} 1'],
    ['engine', 'gleitzeit_attempts_running 0'],
    ['store', 'gleitzeit_commit_duration_seconds_count'],
    ['store', '# TYPE gleitzeit_store_errors_total counter'],
    ['API', 'gleitzeit_api_calls_total{method="workflow.submit",code="ok"} 1'],
    ['API', 'gleitzeit_api_connections'],
    ['providers', 'gleitzeit_provider_call_duration_seconds_count{provider="agent",outcome="done"} 1'],
    ['providers', 'gleitzeit_provider_calls_in_flight{provider="agent"} 0'],
    ['process', 'process_resident_memory_bytes'],
  ])('%s: %s', (_, line) => {
    const [family = line] = line.match(/(gleitzeit|process)_\w+/) ?? [];
    const told = metrics.split('\n').filter((each) => each.includes(family));
    expect(told).toContainEqual(expect.stringContaining(line));
  });

  it('has no name that a caller made up', () => {
    expect(metrics).not.toContain('no.such');
  });
});

describe('the log', () => {
  const of = (message: string): LogEntry[] => server.log.filter((entry) => entry['message'] === message);

  it('is one JSON object a line', () => {
    const lines = server.output().split('\n');
    expect(lines).toHaveLength(server.log.length);
    for (const entry of server.log) {
      expect(entry).toMatchObject({ level: expect.any(String), message: expect.any(String) });
      expect(Date.parse(String(entry['at']))).not.toBeNaN();
    }
  });

  it('names task, run and call at debug, and what they look like', () => {
    const head = { task_id, workflow_id, correlation_id: calls[0]?.call_id, attempt: 1, provider: 'agent' };
    expect(of('call')).toContainEqual(expect.objectContaining({ ...head, params: { text: 'string(19)' } }));
    expect(of('answer')).toContainEqual(
      expect.objectContaining({ ...head, word: 'done', result: 'string(20)' }),
    );
    expect(of('request')).toContainEqual(expect.objectContaining({ method: 'workflow.submit' }));
    expect(of('response')).toContainEqual(
      expect.objectContaining({
        method: 'workflow.submit',
        result: expect.objectContaining({ workflow_id: 'string(36)' }),
      }),
    );
  });

  it('never says what was sent', () => {
    expect(server.output()).not.toMatch(/payload-of/);
  });
});
