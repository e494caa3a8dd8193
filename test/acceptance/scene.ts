import { Registry } from '@prometheus-io/client';
import { AGENT_PROTOCOL, agentProviderId } from '../../src/core/agent.ts';
import type { ErrorRecord } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { createProvider } from '../../src/dialects/registry.ts';
import { type Reply, type Seen, startService } from '../../src/dialects/rest/peer.suite.ts';
import { startEngine } from '../../src/dialects/testing/engine.suite.ts';
import { jsonLogger } from '../../src/telemetry/json-logger.ts';
import { agentMetrics } from '../../src/telemetry/metrics/agents.ts';
import { Redaction } from '../../src/telemetry/redaction.ts';

/** A request as the agent got it. */
export type Asked = {
  readonly method: string;
  readonly headers: Seen['headers'];
  readonly body: JsonObject;
};

/** What the agent answers to it. */
export type Answering = (asked: Asked) => Reply;

export type Line = { readonly level: string; readonly event: string } & Readonly<Record<string, unknown>>;

export type Outcome = {
  readonly task_id: string;
  readonly status: string;
  readonly result: Json;
  readonly error: ErrorRecord | null;
  readonly asked: readonly Asked[];
  /** The one request that was needed. */
  readonly request: Asked;
  readonly lines: readonly Line[];
  readonly metrics: string;
};

export type Wishes = {
  /** Type of the provider: `a2a` is the dialect `jsonrpc-2.0`. */
  readonly dialect?: 'a2a' | 'simple-a2a';
  readonly config?: JsonObject;
  /** What a task says besides its agent and input. */
  readonly task?: JsonObject;
};

export const AGENT = 'Writer';

/**
 * A task for an agent from the submission to the result: an engine, the dialect, and an agent behind HTTP that answers as the
 * test says. All that is looked at is what the agent got, what became of the task, and what was logged and counted.
 */
export async function ask(input: Json, answering: Answering, wishes: Wishes = {}): Promise<Outcome> {
  const lines: Line[] = [];
  const asked: Asked[] = [];
  const service = await startService((seen) => {
    // There is no card: an agent of the old days.
    if (seen.method === 'GET') return { status: 404 };
    const one = { method: seen.method, headers: seen.headers, body: JSON.parse(seen.body) as JsonObject };
    asked.push(one);
    return answering(one);
  });
  const registry = new Registry();
  const { engine, pools, stop } = await startEngine();
  try {
    pools.connect(open(service.url, { lines, registry, wishes }));
    const once = { retry_config: { max_attempts: 1 } };
    const { tasks } = await engine.submit({ agent: AGENT, input, ...once, ...wishes.task });
    const task_id = tasks[0]?.[1] ?? '';
    const outcome = await engine.result(task_id, 20_000);
    if (outcome === null) throw new Error('the task is unknown');
    const { status, result, error } = outcome;
    const [request] = asked;
    return {
      task_id,
      status,
      result: result === null || result === undefined ? null : (JSON.parse(result) as Json),
      error: error ?? null,
      asked,
      request: request ?? { method: '', headers: {}, body: {} },
      lines,
      metrics: await registry.metrics(),
    };
  } finally {
    await stop();
    await service.stop();
  }
}

type Opening = { readonly lines: Line[]; readonly registry: Registry; readonly wishes: Wishes };

function open(url: string, { lines, registry, wishes }: Opening) {
  const { dialect = 'a2a', config = {} } = wishes;
  const redaction = new Redaction();
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const logger = jsonLogger({ level: 'debug', stream, redaction, now: () => 0 });
  const spec = {
    id: agentProviderId(AGENT),
    protocol: AGENT_PROTOCOL,
    type: dialect,
    config: { url, ...config },
  };
  return createProvider(spec, { ...realParts, logger, translations: agentMetrics(registry) });
}

/** Answers with a result of JSON-RPC. */
export function result(value: Json): Answering {
  return ({ body }) => ({ json: { jsonrpc: '2.0', id: body['id'], result: value } });
}

export function rpcError(code: number, message: string): Answering {
  return ({ body }) => ({ json: { jsonrpc: '2.0', id: body['id'], error: { code, message } } });
}

/** Answers with whatever this is, which need not be an answer. */
export function exactly(make: (id: Json) => Json): Answering {
  return ({ body }) => ({ json: make(body['id'] ?? null) });
}

export const text = (words: string): JsonObject => ({ kind: 'text', text: words });

export function says(role: string, ...parts: readonly Json[]): JsonObject {
  return { kind: 'message', messageId: 'm1', role, parts };
}

export function artifact(...parts: readonly Json[]): JsonObject {
  return { artifactId: 'a1', parts };
}

/** A task of the agent that is done. */
export function done(more: JsonObject = {}): JsonObject {
  return { kind: 'task', id: 'remote-1', status: { state: 'completed' }, ...more };
}

/** An agent that says back what it was told. */
export const echo: Answering = (asked) =>
  result(done({ artifacts: [artifact(text(wordsIn(asked)))] }))(asked);

/** The words of the message an agent got. */
export function wordsIn({ body }: Asked): string {
  return partsIn(body)
    .map((part) => String(part['text']))
    .join('\n');
}

export function messageIn(body: JsonObject): JsonObject {
  const params = body['params'] as JsonObject;
  return params['message'] as JsonObject;
}

export function partsIn(body: JsonObject): readonly JsonObject[] {
  return messageIn(body)['parts'] as readonly JsonObject[];
}

/** The only line of an event. */
export function lineOf({ lines }: Outcome, event: string): Line {
  const found = lines.filter((line) => line.event === event);
  const [line] = found;
  if (line === undefined || found.length > 1)
    throw new Error(`${found.length} lines of ${event} in ${lines.map((one) => one.event).join(', ')}`);
  return line;
}
